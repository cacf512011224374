import type { CommandOf } from "../../core/command/command.ts";
import { parseCastId, type CastId } from "../../core/model/ids.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { countedText, sanitizeForTerminal } from "../../core/model/text.ts";
import { issueJson, issueLines } from "../../core/view/issues.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { findCast, type Workspace } from "../workspace/workspace.ts";
import type { ArtifactRef, CastStore } from "../store/cast-store.ts";
import { answer, type CommandOutput, type CommandResult } from "./command-output.ts";
import { examineCast, isIntact, type Examination } from "./examine-cast.ts";
import { salvageCast, type SalvageResult } from "./salvage-cast.ts";

/** [C26, C27] Says whether casts are sound, and salvages damaged ones. */
export async function runDoctor(workspace: Workspace, command: CommandOf<"doctor">): CommandResult {
  const { store } = workspace;
  if (command.castId === undefined) return examineAll(store);
  const id = await findCastOrFolder(store, command.castId);
  if (!id.ok) return id;
  if (command.salvage) return salvageOne(workspace, id.value);
  const found = await examineCast(store, id.value);
  return answer(examinationData(found), () => examinationLines(found), { code: isIntact(found) ? 0 : 1 });
}

/** A cast without `cast.json` is damaged, not unknown. */
async function findCastOrFolder(store: CastStore, text: string): Promise<Result<CastId>> {
  const found = await findCast(store, text);
  if (found.ok) return found;
  const castId = parseCastId(text);
  return castId !== undefined && (await store.summary(castId)) ? ok(castId) : found;
}

async function examineAll(store: CastStore): CommandResult {
  const ids = await store.listIds();
  if (!ids.ok) return ids;
  const damaged: Examination[] = [];
  let casts = 0;
  for (const castId of ids.value) {
    const found = await examineCast(store, castId);
    // A folder may run the name of a cast without being one, and a cast may be removed while doctor runs.
    if (!isIntact(found) && !(await findCastOrFolder(store, castId)).ok) continue;
    casts += 1;
    if (!isIntact(found)) damaged.push(found);
  }
  const count = countedText(casts, "cast");
  const sound = casts === 0 ? `no casts yet under ${sanitizeForTerminal(store.location)}` : count;
  const lines: CommandOutput["lines"] = () =>
    damaged.length === 0
      ? [line(toned("ok", "✓ sound  "), sound)]
      : [
          line(toned("bad", "✗ damaged  "), `${damaged.length} of ${count}`),
          ...damaged.flatMap((found) => examinationLines(found, MAX_NAMED_FILES)),
        ];
  return answer({ casts, damaged: damaged.map(examinationData) }, lines, { code: damaged.length === 0 ? 0 : 1 });
}

function examinationData({ issues, ...found }: Examination) {
  return { ...found, sound: isIntact({ issues, ...found }), issues: issues.map(issueJson) };
}

/** [C43] Of each cast, where many are examined. */
const MAX_NAMED_FILES = 10;

function examinationLines(found: Examination, maxFiles = Infinity): readonly Line[] {
  const { castId, events, checked, files } = found;
  const counts = `${castId}: ${countedText(events, "sound line")}, ${checked - files.length} of ${countedText(checked, "file")} sound`;
  if (isIntact(found)) return [line(toned("ok", "✓ sound  "), counts)];
  return [
    line(toned("bad", "✗ damaged  "), counts),
    // The hint of a damaged journal leads here, so it is left out.
    ...issueLines(found.issues.map(({ hint: _hint, ...issue }) => issue)),
    ...files.slice(0, maxFiles).map((file) => line("  ", toned("bad", file.problem), `: ${artifactText(file)}`)),
    ...(files.length <= maxFiles ? [] : [line(`  and ${files.length - maxFiles} more: materia doctor ${castId}`)]),
    ...(events === 0
      ? []
      : [line("  ", toned("accent", `→ materia doctor ${castId} --salvage`), " salvages it as a new cast")]),
  ];
}

async function salvageOne(workspace: Workspace, from: CastId): CommandResult {
  const done = await salvageCast(workspace, from);
  if (!done.ok) return done;
  const { castId, found, files, mended, lost } = done.value;
  const summary = await workspace.store.summary(castId);
  if (!summary) return failWith("write_failed", castId, "the new cast cannot be read back");
  const { events } = found;
  const { status } = summary;
  // Lines are missing only if the journal itself is damaged.
  const behind = found.issues.some(({ code }) => code === "damaged_journal") ? events : null;
  const data = { castId, from, status, events, files, mended, lost: { behind, files: lost } };
  return answer(data, () => salvagedLines(done.value, behind, status));
}

function salvagedLines(
  { castId, from, found, files, mended, lost }: SalvageResult,
  behind: number | null,
  status: string,
) {
  const next = NEXT_COMMANDS[status];
  const copied = `${countedText(found.events, "line")}, ${countedText(files, "file")}`;
  return [
    line(toned("ok", "✓ salvaged  "), `${castId}, from ${from}: ${copied}`),
    ...(behind === null ? [] : [line("  ", toned("bad", "lost"), `: every line from ${behind + 1} on`)]),
    ...lost.map((place) => line("  ", toned("bad", "lost"), `: ${artifactText(place)}`)),
    ...mended.map((place) => line("  ", toned("rework", "mended"), `: ${artifactText(place)}`)),
    line("  ", toned("accent", `→ materia show ${castId}`), ` (${status})`),
    ...(next === undefined ? [] : [line("  ", toned("accent", `→ materia ${next} ${castId}`), " goes on with it")]),
  ];
}

const NEXT_COMMANDS: Readonly<Record<string, string>> = {
  interrupted: "recast",
  failed: "recast",
  aborted: "recast",
  waiting: "continue",
};

function artifactText({ socket, visit, name }: ArtifactRef): string {
  return `${socket} visit ${visit}, ${name}`;
}
