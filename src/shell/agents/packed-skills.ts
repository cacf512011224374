import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import { error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { parseJson } from "../../core/model/json.ts";
import type { AgentHost, EquipmentDigest } from "../ports.ts";
import { createSecretFinder, tokenKindsIn } from "../secrets/redact.ts";
import { withUmask } from "../system/folders.ts";
import type { CastFile } from "../store/cast-file.ts";
import { readPartFiles, resolveEquipment, skillPath } from "./equipment.ts";
import { loadPi } from "./pi-sdk.ts";
import { failureFromError } from "./pi-turn.ts";

/** The name under which skills come with a cast. */
export const SKILLS_FILE = "skills.json";
const MAX_PACKED_BYTES = 256 * 1024;
/** A skill's name and the path of a file from the parent of the skill. Workers write files with these names. */
const FORM = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\p{L}\p{N}_ .,@+()~-]+(?:\/[\p{L}\p{N}_ .,@+()~-]+)+$/u;
const PackedPath = v.pipe(v.string(), v.maxBytes(250), v.regex(FORM));
const PackedFiles = v.record(PackedPath, v.string());

/** A skill of the submitter's Pi, which no tree brings. */
export function isOwnSkill({ kind, ofProject }: EquipmentDigest): boolean {
  return kind === "skill" && ofProject !== true;
}

/** [YP18] The submitter's own skills, as a file that comes with the cast; every reason against it at once. */
export async function packSkills(
  { equipment = [], cwd }: Pick<CastFile, "equipment" | "cwd">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<Readonly<Record<string, string>>>> {
  const names = equipment.filter(isOwnSkill).map(({ name }) => name);
  if (names.length === 0) return ok({});
  const need = { materia: "the cast", tools: ["read"], skills: names };
  const { skills, issues: unusable } = await resolveEquipment(await loadPi(), need, { cwd, withoutProject: true });
  if (unusable.length > 0) return fail(...unusable);
  const finder = createSecretFinder(env);
  const issues: Issue[] = [];
  const packed: Record<string, string> = {};
  let bytes = 0;
  for (const skill of skills) {
    const refuse = (text: string, hint: string): void =>
      void issues.push(error("unusable_equipment", skillPath(skill), `the skill "${skill.name}" ${text}`, hint));
    for (const [shown, body] of readPartFiles(skillPath(skill))) {
      const path = `${skill.name}/${shown}`;
      const text = `${path}\n${body.toString()}`;
      const kinds = [...finder.namesIn(text).map((variable) => `the value of ${variable}`), ...tokenKindsIn(text)];
      if (kinds.length > 0) refuse(`has ${kinds.join(", ")} in ${finder.redact(shown)}`, "take it out of the file");
      if (!v.is(PackedPath, path))
        refuse(`has a file name that no worker writes: ${finder.redact(shown)}`, "rename it");
      packed[path] = body.toString("base64");
      bytes += body.length;
    }
  }
  if (bytes > MAX_PACKED_BYTES) {
    const text = `the skills of your Pi that come with the cast have ${bytes} bytes; the limit is 256 KB`;
    issues.push(error("files_too_large", "skills", text, "move the largest one into the project, under .pi/skills"));
  }
  return issues.length > 0 ? fail(...issues) : ok({ [SKILLS_FILE]: JSON.stringify(packed) });
}

/** [YP18] Writes the skills of a cast. Somebody else wrote the text: a single wrong name, and nothing is written. */
export function unpackSkills(folder: string, text: string): void {
  const { success, output } = v.safeParse(PackedFiles, text.length > 2 * MAX_PACKED_BYTES ? null : parseJson(text));
  const files = success ? Object.entries(output) : [];
  const isFolderToo = ([path]: readonly [string, string]) => files.some(([other]) => other.startsWith(`${path}/`));
  if (!success || files.some(isFolderToo)) throw new Error("the skills that came with the cast are damaged");
  rmSync(folder, { recursive: true, force: true });
  // An agent may start a script of a skill, also as another user.
  withUmask(0o022, () => {
    for (const [path, body] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), Buffer.from(body, "base64"), { mode: 0o755, flag: "wx" });
    }
  });
}

/** [YP18] Agents get the skills that came with the cast. Written before each turn: an agent may have changed them. */
export function withPackedSkills(
  host: AgentHost,
  equipment: readonly EquipmentDigest[],
  { folder, text }: { readonly folder: string; readonly text: string },
): AgentHost {
  const digests = new Map(equipment.filter(isOwnSkill).map(({ name, digest }) => [name, digest]));
  const runTurn: AgentHost["runTurn"] = async (request) => {
    try {
      unpackSkills(folder, text);
    } catch (thrown) {
      return failureFromError(thrown, NO_USAGE);
    }
    return host.runTurn({ ...request, packed: { folder, digests } });
  };
  return { ...host, runTurn };
}
