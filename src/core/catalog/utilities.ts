/** Bundled utility scripts by the name a materia's `script` gives, with the state each one writes. */
const BUNDLED_SCRIPTS: ReadonlyMap<string, { readonly file: string; readonly writes: readonly string[] }> = new Map([
  ["Ignore-Artifacts", { file: "ignore-artifacts.mjs", writes: ["artifactIgnore"] }],
  ["Detect-VCS", { file: "detect-vcs.mjs", writes: ["vcs"] }],
  ["Blackbelt-Bootstrap", { file: "blackbelt-bootstrap.mjs", writes: ["blackbelt"] }],
  ["Commit-Sigil", { file: "commit-sigil.mjs", writes: [] }],
  ["Blackbelt-Maintain", { file: "blackbelt-maintain.mjs", writes: ["lastCommit"] }],
  ["Blackbelt-GH-PR", { file: "blackbelt-gh-pr.mjs", writes: ["pullRequest"] }],
  ["Blackbelt-ADO-PR", { file: "blackbelt-ado-pr.mjs", writes: ["pullRequest"] }],
  ["Mime-Bootstrap", { file: "mime-bootstrap.mjs", writes: ["mime"] }],
  ["Mime-Maintain", { file: "mime-maintain.mjs", writes: ["lastCommit"] }],
  ["Mime-GH-PR", { file: "mime-gh-pr.mjs", writes: ["pullRequest"] }],
  ["Mime-ADO-PR", { file: "mime-ado-pr.mjs", writes: ["pullRequest"] }],
  ["Pass-On", { file: "pass-on.mjs", writes: [] }],
  ["Run-Checks", { file: "run-checks.mjs", writes: [] }],
]);

export const BUNDLED_SCRIPT_NAMES: readonly string[] = [...BUNDLED_SCRIPTS.keys()];

export function bundledScriptFile(script: string): string | undefined {
  return BUNDLED_SCRIPTS.get(script)?.file;
}

export function stateKeysWrittenBy(script: string): readonly string[] {
  return BUNDLED_SCRIPTS.get(script)?.writes ?? [];
}
