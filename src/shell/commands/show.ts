import { appendAll } from "../../core/model/lists.ts";
import { existsSync } from "node:fs";
import { replaySteps } from "../../core/cast/timeline.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CommandOf } from "../../core/command/command.ts";
import { equipmentNames } from "../../core/compile/sandboxes.ts";
import { materiaOf, socketOf } from "../../core/compile/graph.ts";
import type { CastId } from "../../core/model/ids.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { countedText, sanitizeForTerminal } from "../../core/model/text.ts";
import { deliveryLines } from "../../core/view/cast-list.ts";
import {
  itemTableLines,
  type ItemTableOptions,
  buildItemTable,
  type ItemRow,
  type ItemTable,
} from "../../core/view/report/item-table.ts";
import { FULL_DETAIL } from "../../core/view/report/handoff-lines.ts";
import { storyLines, type StoryOptions, createStoryWriter, type VisitNotes } from "../../core/view/report/story.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import {
  modelsText,
  toolCallsOf,
  type VisitDetail,
  toolCallLines,
  toolSummaryLine,
  visitDetailLines,
} from "../../core/view/report/visit-detail.ts";
import { storyMarkdown, visitMarkdown } from "../../core/view/report/markdown.ts";
import { eventsOfVisit, foldVisits, type VisitRecord } from "../../core/history/visits.ts";
import { findVisit } from "../../core/history/facts.ts";
import { loadNamedCast, type Workspace } from "../workspace/workspace.ts";
import { listQuarantined } from "../git/worktrees/worktree.ts";
import { castStartOf } from "../store/cast-file.ts";
import { readArtifactText, type CastStore, type LoadedCast, type VisitRef } from "../store/cast-store.ts";
import { layoutInFolder } from "../store/layout.ts";
import { answer, type CommandResult } from "./command-output.ts";
import { castLineage, foreignNote, programOption } from "./status.ts";
import { readVisitDetail, promptOutput } from "./read-visit.ts";
import { initialState } from "../../core/cast/state/initial-state.ts";

const MAX_WIDTH = 120;

/** [C15, C39, C48] The story of a cast, or one visit of it. */
export async function runShow(workspace: Workspace, command: CommandOf<"show">): CommandResult {
  const cast = await loadNamedCast(workspace.store, command.castId);
  if (!cast.ok) return cast;
  if (command.prompt) return promptOutput(workspace.store, cast.value, command.visit);
  return command.visit === undefined
    ? castOutput(workspace, cast.value, command)
    : visitOutput(workspace, cast.value, command.visit, command);
}

async function castOutput(
  workspace: Workspace,
  cast: LoadedCast,
  { full, markdown, page: asked }: CommandOf<"show">,
): CommandResult {
  const { store } = workspace;
  const { castId, file } = cast;
  const page = pageOf(foldVisits(cast.events), asked, markdown ? Infinity : VISITS_PER_PAGE);
  const events = full ? await readWholeTexts(store, cast) : cast.events;
  const details: VisitDetail[] = [];
  for (const visit of page.visits) details.push(await readVisitDetail(store, castId, visit, full ? "all" : "talk"));
  const models = details.flatMap(({ model }, index) =>
    model === null ? [] : [{ model, materia: page.visits[index]?.materia ?? "" }],
  );
  const summary = await store.summary(castId);
  const alive = summary?.status === "queued" ? "queued" : (await store.owner(castId)) !== undefined;
  const story: StoryOptions = {
    alive,
    now: Date.now(),
    lineage: castLineage(file),
    ...programOption(workspace),
    ...(full ? { extent: FULL_DETAIL } : {}),
    shown: page.shown,
    ...(models.length === 0 ? {} : { models: modelsText(models) }),
  };
  const { command, targets, fromCastId } = file;
  const items = await withFleetWorkers(workspace, buildItemTable(castId, events));
  const left = await findUncommittedWork(workspace, castId, items);
  const foreign = foreignNote(workspace, file);
  const data = {
    ...summary,
    ...foreign.field,
    command,
    targets,
    fromCastId,
    ...itemData(items, left),
    ...(page.pages > 1 ? { page: page.number, pages: page.pages } : {}),
    details: details.map(detailData),
    events: page.pages > 1 ? events.filter(({ seq }) => seq >= page.shown.from && seq <= page.shown.to) : events,
  };
  const byKey = new Map(details.map((detail) => [`${detail.socket}#${detail.visit}`, detail]));
  const detailOf: DetailLookup = ({ socket, visit }) => byKey.get(`${socket}#${visit}`);
  if (markdown)
    return answer(data, () => markdownLines(storyMarkdown(castStartOf(file), events, { ...story, detailOf })));
  const { program = "materia" } = programOption(workspace);
  return answer(data, (width) => {
    const room = Math.min(width, MAX_WIDTH);
    const aside = toolLinesLookup(detailOf, full ? room - 4 : undefined);
    const fetch = workspace.fleet ? { fetch: `${program} take ${castId}` } : {};
    return [
      ...storyLines(castStartOf(file), events, { ...story, width: room, aside }),
      ...itemTableLines(items, { alive: alive === true, width: Math.min(width, 160), ...left, ...fetch }),
      ...deliveryLines(summary?.delivered),
      ...foreign.lines,
      ...pageLines(page, `${program} show ${castId}`),
      ...footerLines(store.locationOf(castId), cast),
    ];
  });
}

function itemData({ rows, waiting }: ItemTable, { aside }: Pick<ItemTableOptions, "aside">) {
  if (rows.length === 0) return {};
  const itemCasts = rows.map((row) => ({ ...row, ...withoutUndefined({ setAside: aside.get(row.child) }) }));
  return { itemCasts, unjoined: waiting };
}

function markdownLines(texts: readonly string[]): readonly Line[] {
  return texts.map((text) => line(sanitizeForTerminal(text)));
}

const VISITS_PER_PAGE = 500;

/** [C52] A page of visits, with its first and last event; the last one if none is named, or if there is no such page. */
function pageOf(all: readonly VisitRecord[], asked: number | undefined, size: number) {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const number = asked === undefined || asked < 1 || asked > pages ? pages : asked;
  const visits = all.slice(pages === 1 ? 0 : (number - 1) * size, number * size);
  // Events before the first visit belong to the first page.
  const from = number === 1 ? 0 : (visits[0]?.firstSeq ?? 0);
  return { number, pages, visits, shown: { from, to: (all[number * size]?.firstSeq ?? Infinity) - 1 } };
}

function pageLines({ number, pages }: ReturnType<typeof pageOf>, command: string): readonly Line[] {
  if (pages === 1) return [];
  const other = `  ${command} --page ${number > 1 ? number - 1 : number + 1} shows another`;
  return [line(toned("accent", `Page ${number} of ${pages}`), toned("dim", other))];
}

/** [B54] The worker of a running item is in no event of its parent. */
async function withFleetWorkers({ store, fleet }: Workspace, { rows, waiting }: ItemTable): Promise<ItemTable> {
  if (!fleet) return { rows, waiting };
  const withWorkers = rows.map(async (row): Promise<ItemRow> => {
    const worker = row.status === "running" ? (await store.summary(row.child))?.fleet?.worker : undefined;
    return { ...row, ref: row.ref && row.commit, ...(typeof worker === "string" ? { worker } : {}) };
  });
  return { rows: await Promise.all(withWorkers), waiting: waiting && { ...waiting, ref: waiting.commit } };
}

/** [V39] Work of items that is in files here and in no commit. */
async function findUncommittedWork({ store, fleet }: Workspace, castId: CastId, items: ItemTable) {
  if (fleet) return { trees: new Map(), aside: new Map() };
  return {
    trees: await findItemTrees(store, items),
    aside: listQuarantined(layoutInFolder(store.locationOf(castId)).worktreesFolder),
  };
}

/** The work of an interrupted item is only in its worktree. */
async function findItemTrees(store: CastStore, { rows }: ItemTable): Promise<ReadonlyMap<string, string>> {
  const trees = new Map<string, string>();
  for (const { child, status } of rows) {
    if (status !== "failed" && status !== "running") continue;
    const file = await store.readCastFile(child);
    if (file.ok && existsSync(file.value.cwd)) trees.set(child, file.value.cwd);
  }
  return trees;
}

/** The journal holds the beginning of a long text; a file beside it holds all of it. */
async function readWholeTexts(store: CastStore, { castId, events }: LoadedCast): Promise<readonly CastEvent[]> {
  const whole: CastEvent[] = [];
  for (const event of events) {
    const isCut = event.type === "output_accepted" && event.chars > event.text.length;
    const text = isCut ? await readArtifactText(store, castId, { ...event, name: "output.md" }) : undefined;
    whole.push(isCut && text !== undefined ? { ...event, text } : event);
  }
  return whole;
}

type DetailLookup = (visit: VisitRef) => VisitDetail | undefined;

/** The tools of a visit: in one line, or one line each with `--full`. */
function toolLinesLookup(detailOf: DetailLookup, full: number | undefined): VisitNotes {
  return (visit) => {
    const detail = detailOf(visit);
    if (!detail) return [];
    return full === undefined ? toolSummaryLine(detail) : toolCallLines(toolCallsOf(detail), full);
  };
}

function detailData({ socket, visit, model, usage, replies, prompt, stdout, stderr }: VisitDetail) {
  const kept = Object.entries({ prompt, stdout, stderr }).filter(([, text]) => text !== null);
  return { socket, visit, model, usage, replies, ...Object.fromEntries(kept) };
}

async function visitOutput(
  { store }: Workspace,
  cast: LoadedCast,
  named: string,
  { markdown }: CommandOf<"show">,
): CommandResult {
  const { castId, file, events } = cast;
  const visit = findVisit(foldVisits(events), named);
  if (!visit.ok) return visit;
  const found = visit.value;
  const detail = await readVisitDetail(store, castId, found, "all");
  const own = eventsOfVisit(events, found);
  const equipment = equipmentNames(file.graph, materiaOf(file.graph, socketOf(file.graph, found.socket)));
  const had = equipment.length === 0 ? [] : [line(toned("dim", "Had     "), sanitizeForTerminal(equipment.join(", ")))];
  const data = { castId, materia: found.materia, ...detailData(detail), equipment: [...equipment], events: own };
  return answer(data, (width) => {
    const room = Math.min(width, MAX_WIDTH);
    const story = visitStory(cast, own, markdown ? 1_000 : room);
    return markdown
      ? markdownLines(visitMarkdown(detail, story, castId))
      : [...visitDetailLines(detail, story, room).toSpliced(1, 0, ...had), line(toned("dim", `Cast ${castId}`))];
  });
}

/** The lines of the story that belong to the events of one visit. */
function visitStory({ file, events }: LoadedCast, ofVisit: readonly CastEvent[], width: number): readonly Line[] {
  const first = initialState(castStartOf(file));
  const teller = createStoryWriter(first, width);
  const own = new Set(ofVisit);
  const lines: Line[] = [];
  for (const step of replaySteps(first, events)) {
    const written = teller.write(step);
    if (own.has(step.event)) appendAll(lines, written);
  }
  const last = events.at(-1);
  if (last && own.has(last)) appendAll(lines, teller.flush());
  return lines[0]?.length === 0 ? lines.slice(1) : lines;
}

function footerLines(place: string, { file: { salvaged }, events: [first], tornBytes }: LoadedCast): readonly Line[] {
  const lines = [line(toned("dim", `Files: ${sanitizeForTerminal(place)}`))];
  // [T37] The shared visits of a fork were paid for in the first cast.
  if (first?.type === "cast_started" && first.forkedFrom) {
    const { castId, visit } = first.forkedFrom;
    lines.unshift(line(toned("dim", `Forked from ${castId}: everything before ${visit} ran there.`)));
  }
  // [C27] Say why a salvaged cast ends early.
  if (salvaged) {
    const count = countedText(salvaged.events, "line");
    lines.unshift(line(toned("rework", `Salvaged from ${salvaged.from}, which was damaged: its first ${count}.`)));
  }
  const cutOff = `The journal ends with an incomplete line (${tornBytes} bytes); a resume removes it.`;
  return tornBytes > 0 ? [...lines, line(toned("rework", cutOff))] : lines;
}
