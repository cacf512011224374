import type { Command } from "../../../core/command/command.ts";
import { parseCastId, type CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { harmless } from "../../../core/model/values/text.ts";
import { issueJson, issueLines } from "../../../core/view/issues.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import { castNamed } from "../../casting/workspace/named-cast.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import type { ArtifactPlace, CastStore } from "../../store/cast-store.ts";
import type { Answer } from "../answer/answer.ts";
import { examine, isSound, type Examination } from "./examine.ts";
import { salvageCast, type Salvaged } from "./salvage.ts";

type DoctorCommand = Extract<Command, { kind: "doctor" }>;

/** [C26, C27] Whether casts are sound, and what can be saved of one that is not. */
export async function doctor(workspace: Workspace, command: DoctorCommand): Promise<Result<Answer>> {
  const { store } = workspace;
  if (command.castId === undefined) return lookAtAll(store);
  const id = await castAt(store, command.castId);
  if (!id.ok) return id;
  return command.salvage ? bringOver(workspace, id.value) : examineOne(store, id.value);
}

/** A cast that has lost its `cast.json` is damaged, not unknown. */
async function castAt(store: CastStore, text: string): Promise<Result<CastId>> {
  const found = await castNamed(store, text);
  if (found.ok) return found;
  const castId = parseCastId(text);
  return castId !== undefined && (await store.summary(castId)) ? ok(castId) : found;
}

async function examineOne(store: CastStore, castId: CastId): Promise<Result<Answer>> {
  const found = await examine(store, castId);
  return ok({ code: isSound(found) ? 0 : 1, data: dataOf(found), lines: () => foundLines(found) });
}

async function lookAtAll(store: CastStore): Promise<Result<Answer>> {
  const ids = await store.ids();
  if (!ids.ok) return ids;
  const damaged: Examination[] = [];
  let casts = 0;
  for (const castId of ids.value) {
    const found = await examine(store, castId);
    // Any folder may have the name of a cast, and a cast may have been removed meanwhile.
    if (!isSound(found) && !(await castAt(store, castId)).ok) continue;
    casts += 1;
    if (!isSound(found)) damaged.push(found);
  }
  const count = `${casts} ${casts === 1 ? "cast" : "casts"}`;
  const lines: Answer["lines"] = () =>
    damaged.length === 0
      ? [line(toned("ok", "✓ sound  "), casts === 0 ? `no casts yet under ${harmless(store.place)}` : count)]
      : [line(toned("bad", "✗ damaged  "), `${damaged.length} of ${count}`), ...damaged.flatMap(foundLines)];
  return ok({ code: damaged.length === 0 ? 0 : 1, data: { casts, damaged: damaged.map(dataOf) }, lines });
}

function dataOf({ issues, ...found }: Examination) {
  return { ...found, sound: isSound({ issues, ...found }), issues: issues.map(issueJson) };
}

function foundLines(found: Examination): readonly Line[] {
  const { castId, events, checked, files } = found;
  const told = `${castId}: ${counted(events, "sound line")}, ${checked - files.length} of ${counted(checked, "file")} sound`;
  if (isSound(found)) return [line(toned("ok", "✓ sound  "), told)];
  return [
    line(toned("bad", "✗ damaged  "), told),
    // Where the journal sends people is here.
    ...issueLines(found.issues.map(({ hint: _hint, ...issue }) => issue)),
    ...files.map((file) => line("  ", toned("bad", file.problem), `: ${placeText(file)}`)),
    ...(events === 0
      ? []
      : [line("  ", toned("accent", `→ materia doctor ${castId} --salvage`), " keeps what is sound, as a new cast")]),
  ];
}

async function bringOver(workspace: Workspace, from: CastId): Promise<Result<Answer>> {
  const done = await salvageCast(workspace, from);
  if (!done.ok) return done;
  const { castId, found, files, mended, lost } = done.value;
  const summary = await workspace.store.summary(castId);
  if (!summary) return fail(error("cannot_write", castId, "the new cast cannot be read back"));
  const { events } = found;
  // Only where the journal itself is damaged is anything missing behind its sound lines.
  const lostBehind = found.issues.some(({ code }) => code === "damaged_journal") ? events : null;
  const data = {
    castId,
    from,
    status: summary.status,
    events,
    files,
    mended,
    lost: { behind: lostBehind, files: lost },
  };
  return ok({ code: 0, data, lines: () => salvagedLines(done.value, lostBehind, summary.status) });
}

function salvagedLines({ castId, from, found, files, mended, lost }: Salvaged, behind: number | null, status: string) {
  const next = NEXT[status];
  return [
    line(
      toned("ok", "✓ salvaged  "),
      `${castId}, from ${from}: ${counted(found.events, "line")}, ${counted(files, "file")}`,
    ),
    ...(behind === null ? [] : [line("  ", toned("bad", "lost"), `: every line from ${behind + 1} on`)]),
    ...lost.map((place) => line("  ", toned("bad", "lost"), `: ${placeText(place)}`)),
    ...mended.map((place) => line("  ", toned("rework", "mended"), `: ${placeText(place)}`)),
    line("  ", toned("accent", `→ materia show ${castId}`), ` (${status})`),
    ...(next === undefined ? [] : [line("  ", toned("accent", `→ materia ${next} ${castId}`), " goes on with it")]),
  ];
}

const NEXT: Readonly<Record<string, string>> = {
  interrupted: "recast",
  failed: "recast",
  aborted: "recast",
  waiting: "continue",
};

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function placeText({ socket, visit, name }: ArtifactPlace): string {
  return `${socket} visit ${visit}, ${name}`;
}
