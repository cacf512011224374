import { existsSync } from "node:fs";
import { startState } from "../../../core/cast/state/state.ts";
import { stepsFrom } from "../../../core/cast/step.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { ShowCommand } from "../../../core/command/command.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import { harmless } from "../../../core/model/values/text.ts";
import { deliveryLines } from "../../../core/view/text/delivery.ts";
import { itemLines, type ItemsShown } from "../../../core/view/items/lines.ts";
import { itemRows, type ItemRow, type ItemRows } from "../../../core/view/items/rows.ts";
import { WHOLE } from "../../../core/view/tell/handed.ts";
import { storyLines, type StoryOptions } from "../../../core/view/tell/story.ts";
import { openTeller, type Aside } from "../../../core/view/tell/teller.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import { modelsText, toolCallsOf, type VisitDetail } from "../../../core/view/visit/detail.ts";
import { toolLines, toolsLine, visitLines } from "../../../core/view/visit/lines.ts";
import { storyMarkdown, visitMarkdown } from "../../../core/view/visit/markdown.ts";
import { castVisits, visitNamed } from "../../../core/view/watch/visit-named.ts";
import { castNamed } from "../../casting/workspace/named-cast.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import { setAsideIn } from "../../git/items/tree/tree.ts";
import { startOf, type CastFile } from "../../store/cast-file.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";
import { layoutIn } from "../../store/layout.ts";
import type { Answer } from "../answer/answer.ts";
import { foreignLines, foreignMark, lineageOf, programOf } from "./marks.ts";
import { readVisit, type VisitKey } from "./read-visit.ts";

const WIDEST = 120;

/** [C15, C39] The story of a cast, or one visit of it. */
export async function show(workspace: Workspace, command: ShowCommand): Promise<Result<Answer>> {
  const { store } = workspace;
  const id = await castNamed(store, command.castId);
  if (!id.ok) return id;
  const cast = await store.load(id.value);
  if (!cast.ok) return cast;
  return command.visit === undefined
    ? ok(await showCast(workspace, cast.value, command))
    : showVisit(workspace, cast.value, { ...command, visit: command.visit });
}

async function showCast(workspace: Workspace, cast: LoadedCast, { full, markdown }: ShowCommand): Promise<Answer> {
  const { store } = workspace;
  const { castId, file } = cast;
  const events = full ? await wholeTexts(store, cast) : cast.events;
  const begun = castVisits({ events });
  const details: VisitDetail[] = [];
  for (const visit of begun) details.push(await readVisit(store, castId, visit, full ? "all" : "talk"));
  const asked = details.flatMap(({ model }, index) =>
    model === null ? [] : [{ model, materia: begun[index]?.materia ?? "" }],
  );
  const summary = await store.summary(castId);
  const alive = summary?.status === "queued" ? "queued" : (await store.owner(castId)) !== undefined;
  const story: StoryOptions = {
    alive,
    now: Date.now(),
    lineage: lineageOf(file),
    ...programOf(workspace),
    ...(full ? { extent: WHOLE } : {}),
    ...(asked.length === 0 ? {} : { models: modelsText(asked) }),
  };
  const { command, targets, fromCastId } = file;
  const mark = foreignMark(workspace, file);
  const items = await onFleet(workspace, itemRows(castId, events));
  const left = await leftBehind(workspace, castId, items);
  return {
    code: 0,
    data: {
      ...summary,
      ...mark,
      command,
      targets,
      fromCastId,
      ...(items.rows.length === 0 ? {} : { itemCasts: items.rows.map(withAside(left.aside)), unjoined: items.waiting }),
      details: details.map(asData),
      events,
    },
    lines: (width) =>
      markdown
        ? storyMarkdown(startOf(file), events, { ...story, detailOf: finder(details) }).map((text) =>
            line(harmless(text)),
          )
        : [
            ...storyLines(startOf(file), events, {
              ...story,
              width: Math.min(width, WIDEST),
              aside: asideOf(finder(details), full ? Math.min(width, WIDEST) - 4 : undefined),
            }),
            ...itemLines(items, {
              alive: alive === true,
              width: Math.min(width, 160),
              ...left,
              ...(workspace.fleet ? { fetch: `${programOf(workspace).program} take ${castId}` } : {}),
            }),
            ...deliveryLines(summary?.delivered),
            ...foreignLines(workspace, file),
            ...asideLines(store.placeOf(castId), cast),
          ],
  };
}

/** [B12] Who has an item that is at work stands in no event of its parent; no name here holds what was done elsewhere. */
async function onFleet({ store, fleet }: Workspace, { rows, waiting }: ItemRows): Promise<ItemRows> {
  if (!fleet) return { rows, waiting };
  const told = rows.map(async (row): Promise<ItemRow> => {
    const worker = row.status === "running" ? (await store.summary(row.child))?.fleet?.worker : undefined;
    return { ...row, ref: row.ref && row.commit, ...(typeof worker === "string" ? { worker } : {}) };
  });
  return { rows: await Promise.all(told), waiting: waiting && { ...waiting, ref: waiting.commit } };
}

/** [V21] What of items lies in files here and in no commit. */
async function leftBehind(
  { store, fleet }: Workspace,
  castId: CastId,
  items: ItemRows,
): Promise<Pick<ItemsShown, "trees" | "aside">> {
  if (fleet) return { trees: new Map(), aside: new Map() };
  return { trees: await treesOf(store, items), aside: setAsideIn(layoutIn(store.placeOf(castId)).trees) };
}

/** Of an item that stopped in the middle the work lies in its tree alone. */
async function treesOf(store: CastStore, { rows }: ItemRows): Promise<ReadonlyMap<string, string>> {
  const trees = new Map<string, string>();
  for (const { child, status } of rows) {
    if (status !== "failed" && status !== "running") continue;
    const file = await store.describe(child);
    if (file.ok && existsSync(file.value.cwd)) trees.set(child, file.value.cwd);
  }
  return trees;
}

function withAside(aside: ItemsShown["aside"]) {
  return (row: ItemRow) => {
    const setAside = aside.get(row.child);
    return setAside ? { ...row, setAside } : row;
  };
}

/** A journal holds the beginning of a long text; the whole of it stands beside it. */
async function wholeTexts(store: CastStore, { castId, events }: LoadedCast): Promise<readonly CastEvent[]> {
  const whole: CastEvent[] = [];
  for (const event of events) {
    const isCut = event.type === "output_accepted" && event.chars > event.text.length;
    const kept = isCut ? await store.readArtifact(castId, { ...event, name: "output.md" }) : undefined;
    whole.push(isCut && kept ? { ...event, text: Buffer.from(kept.bytes).toString("utf8") } : event);
  }
  return whole;
}

type Finder = (visit: VisitKey) => VisitDetail | undefined;

function finder(details: readonly VisitDetail[]): Finder {
  const byKey = new Map(details.map((detail) => [`${detail.socket}#${detail.visit}`, detail]));
  return ({ socket, visit }) => byKey.get(`${socket}#${visit}`);
}

/** The tools of a visit: in one line, or each on its own where all is told. */
function asideOf(detailOf: Finder, full: number | undefined): Aside {
  return (visit) => {
    const detail = detailOf(visit);
    if (!detail) return [];
    return full === undefined ? toolsLine(detail) : toolLines(toolCallsOf(detail), full);
  };
}

function asData({ socket, visit, model, usage, replies, prompt, stdout, stderr }: VisitDetail) {
  const kept = Object.entries({ prompt, stdout, stderr }).filter(([, text]) => text !== null);
  return { socket, visit, model, usage, replies, ...Object.fromEntries(kept) };
}

async function showVisit(
  { store }: Workspace,
  { castId, file, events }: LoadedCast,
  { visit: named, markdown }: ShowCommand & { readonly visit: string },
): Promise<Result<Answer>> {
  const visit = visitNamed(castVisits({ events }), named);
  if (!visit.ok) return visit;
  const found = visit.value;
  const detail = await readVisit(store, castId, found, "all");
  const own = eventsOfVisit(events, found);
  return ok({
    code: 0,
    data: { castId, materia: found.materia, ...asData(detail), events: own },
    lines: (width) => {
      const room = Math.min(width, WIDEST);
      const told = toldOf(file, events, found, markdown ? 1_000 : room);
      return markdown
        ? visitMarkdown(detail, told, castId).map((text) => line(harmless(text)))
        : [...visitLines(detail, told, room), line(toned("dim", `Cast ${castId}`))];
    },
  });
}

/** From its beginning to that of the next one. */
function eventsOfVisit(events: readonly CastEvent[], { socket, visit }: VisitKey): readonly CastEvent[] {
  const from = events.findLastIndex(
    (event) => event.type === "visit_started" && event.socket === socket && event.visit === visit,
  );
  const next = events.findIndex((event, index) => index > from && event.type === "visit_started");
  return events.slice(from, next === -1 ? undefined : next);
}

/** What the story tells of this visit. */
function toldOf(file: CastFile, events: readonly CastEvent[], visit: VisitKey, width: number): readonly Line[] {
  const first = startState(startOf(file));
  const teller = openTeller(first, width);
  const own = new Set(eventsOfVisit(events, visit));
  const lines: Line[] = [];
  for (const step of stepsFrom(first, events)) {
    const told = teller.tell(step);
    if (own.has(step.event)) lines.push(...told);
  }
  const last = events.at(-1);
  if (last && own.has(last)) lines.push(...teller.rest());
  return lines[0]?.length === 0 ? lines.slice(1) : lines;
}

function asideLines(place: string, { file, events, tornBytes }: LoadedCast): readonly Line[] {
  const cutOff = `The journal ends in a line that was cut off (${tornBytes} bytes); a resume removes it.`;
  return [
    ...salvagedLines(file),
    ...forkedLines(events),
    line(toned("dim", `Files: ${harmless(place)}`)),
    ...(tornBytes > 0 ? [line(toned("rework", cutOff))] : []),
  ];
}

/** [C27] A cast that ends in the middle is not a riddle. */
function salvagedLines({ salvaged }: CastFile): readonly Line[] {
  if (!salvaged) return [];
  const count = `${salvaged.events} ${salvaged.events === 1 ? "line" : "lines"}`;
  return [line(toned("rework", `Salvaged from ${salvaged.from}, which was damaged: its first ${count}.`))];
}

/** [T20] What a fork shares with another cast was paid for there. */
function forkedLines([first]: readonly CastEvent[]): readonly Line[] {
  if (first?.type !== "cast_started" || !first.forkedFrom) return [];
  const { castId, visit } = first.forkedFrom;
  return [line(toned("dim", `Forked from ${castId}: everything before ${visit} was done there.`))];
}
