/** Why a patch must not be applied; empty if nothing speaks against it. */
export function patchProblems(text: string): readonly string[];
