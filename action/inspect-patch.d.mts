/** Why a patch must not be applied to the HEAD of a repository; empty if nothing speaks against it. */
export declare function patchProblems(file: string, repository?: string): string[];
