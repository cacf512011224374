import { warning } from "../../model/issue.ts";
import { isJsonObject, type JsonObject } from "../../model/values/json.ts";
import { oneLine } from "../../model/values/text.ts";
import { BUNDLED_UTILITY_MATERIA } from "../bundled/utilities.ts";
import { BUNDLED_VERSION_CONTROL } from "../bundled/version-control.ts";
import type { FormatEdit } from "./edit.ts";
import { type FormatTranslation, NO_EDITS, objectFields, joinTranslations, removeKeys } from "./translation.ts";

/** The files that an older configuration names, and the bundled utilities that do their work. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "ensure-ignored.mjs": "Ignore-Artifacts",
  "detect-vcs.mjs": "Detect-VCS",
  "commit-sigil.mjs": "Commit-Sigil",
  "blackbelt-bootstrap.mjs": "Blackbelt-Bootstrap",
  "blackbelt-maintain.mjs": "Blackbelt-Maintain",
  "blackbelt-gh-pr.mjs": "Blackbelt-GH-PR",
  "blackbelt-ado-pr.mjs": "Blackbelt-ADO-PR",
  "mime-bootstrap.mjs": "Mime-Bootstrap",
  "mime-maintain.mjs": "Mime-Maintain",
  "mime-gh-pr.mjs": "Mime-GH-PR",
  "mime-ado-pr.mjs": "Mime-ADO-PR",
};

const COLORS: Readonly<Record<string, string>> = {
  cyan: "lagoon",
  blue: "azure",
  green: "leaf",
  purple: "violet",
  yellow: "gold",
  orange: "ember",
  red: "rose",
  pink: "rose",
};

/** What is told in place of work on jj workspaces: parallel items have folders of their own, made and merged by the engine. */
const WORKSPACES_NOT_NEEDED = "parallel items have folders of their own here, which are made and merged without it";

export function translateMateria(name: string, materia: JsonObject): FormatTranslation {
  const path = ["materia", name];
  return joinTranslations([
    removeKeys(path, materia, ["id", "source", "lockState", "parallel", "parallelSafe"]),
    scriptEdits(path, materia),
    utilityEdits(path, materia),
    colorEdits(path, materia),
  ]);
}

/** [M5] */
function scriptEdits(path: readonly string[], materia: JsonObject): FormatTranslation {
  const { script } = materia;
  if (!isJsonObject(script)) return NO_EDITS;
  const was = [...path, "script", "name"];
  const file = typeof script["name"] === "string" ? script["name"] : "";
  const known = Object.hasOwn(SCRIPTS, file) ? SCRIPTS[file] : undefined;
  // A name that no bundled utility has is refused as such where the file of today is read.
  if (known === undefined) return { edits: [{ path: [...path, "script"], value: file, was }], issues: [] };
  const { env, timeoutMs } = { ...BUNDLED_UTILITY_MATERIA, ...BUNDLED_VERSION_CONTROL }[known] ?? {};
  const brings: readonly FormatEdit[] = [
    ...(env && !("env" in materia) ? [{ path: [...path, "env"], value: env }] : []),
    ...(timeoutMs !== undefined && !("timeoutMs" in materia)
      ? [{ path: [...path, "timeoutMs"], value: timeoutMs }]
      : []),
  ];
  return { edits: [{ path: [...path, "script"], value: known, was }, ...brings], issues: [] };
}

/** [M4] Work that belonged to the older engine. */
function utilityEdits(path: readonly string[], materia: JsonObject): FormatTranslation {
  const { utility } = materia;
  if (typeof utility !== "string") return NO_EDITS;
  const was = [...path, "utility"];
  const gone: FormatEdit = { path: was };
  const script = [...path, "script"];
  if (!utility.startsWith("vcs.")) return { edits: [gone, { path: script, value: utility, was }], issues: [] };
  const message = `${oneLine(utility, 60)} is not done: ${WORKSPACES_NOT_NEEDED}`;
  const params = { ...objectFields(materia["params"]), note: message };
  return {
    edits: [gone, { path: script, value: "Pass-On", was }, { path: [...path, "params"], value: params }],
    issues: [warning("not_done", was, message)],
  };
}

function colorEdits(path: readonly string[], { color }: JsonObject): FormatTranslation {
  const [, name] = typeof color === "string" ? (/^materia-color-(.+)$/.exec(color) ?? []) : [];
  if (name === undefined) return NO_EDITS;
  return { edits: [{ path: [...path, "color"], value: COLORS[name] ?? "slate", was: [...path, "color"] }], issues: [] };
}
