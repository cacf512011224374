import * as v from "valibot";
import { CastSummary, type CastStatus } from "../cast/summary.ts";
import { oneLine } from "../model/text.ts";
import { statusSymbol, statusText } from "./cast-list.ts";
import { columnsOf, cutColumns, fitLine, line, lineColumns, padColumns, toned, type Line } from "./line.ts";
import { costText, sleepText } from "./numbers.ts";

/** [YI2] A cast in the inbox. */
export const InboxRow = v.object({
  ...CastSummary.entries,
  project: v.string(), // the name of its folder
  cwd: v.string(),
  root: v.string(), // the folder of its casts
  needs: v.string(), // in one line
  command: v.string(), // that answers, from any folder
  seen: v.exactOptional(v.literal(true)), // a person has looked at it
});
export type InboxRow = Readonly<v.InferOutput<typeof InboxRow>>;

/** Who has to act, in the order of the list; null if nobody has. */
export function inboxGroup(status: CastStatus): 0 | 1 | 2 | null {
  switch (status) {
    case "waiting":
      return 0;
    case "paused":
    case "failed":
    case "interrupted":
      return 1;
    case "completed":
    case "not_satisfied":
      return 2;
    // The person who aborts a cast has looked at it.
    case "aborted":
    case "running":
    case "sleeping":
    case "queued":
      return null;
  }
}

/** [YI2] Waiting casts first, then stopped ones, then results; the newest of each first. */
export function sortInbox(rows: readonly InboxRow[]): readonly InboxRow[] {
  const rank = ({ status }: InboxRow): number => inboxGroup(status) ?? 3;
  return rows.toSorted((a, b) => rank(a) - rank(b) || (a.castId < b.castId ? 1 : -1));
}

export function inboxRow(
  cast: CastSummary,
  place: Pick<InboxRow, "project" | "cwd" | "root">,
  { now, program }: { readonly now: number; readonly program: string },
): InboxRow {
  return { ...cast, ...place, needs: needsText(cast, now), command: `${program} ${answerOf(cast)}` };
}

function needsText({ status, reason = "", asleep }: CastSummary, now: number): string {
  const because = reason === "" ? "" : `: ${reason}`;
  if (status === "waiting") return reason === "" ? "waits for your answer" : `waits${because}`;
  if (asleep) return `${statusText(status)}: ${sleepText(asleep, now)}`;
  if (status === "interrupted") return "its process is gone";
  if (status === "completed") return "completed";
  return status === "failed" && reason !== "" ? reason : `${statusText(status)}${because}`;
}

function answerOf({ castId, status, branch, visits }: CastSummary): string {
  if (status === "waiting") return `continue ${castId}`;
  if (status === "completed" && branch !== undefined) return `take ${castId}`;
  if (inboxGroup(status) === 1 || status === "aborted") return `recast ${castId}`;
  return status === "running" && visits > 0 ? `watch ${castId}` : `show ${castId}`;
}

/** Below this width each cast has two lines. */
const WIDE = 120;
const MAX_PROJECT_COLUMNS = 14;

export function inboxLines(rows: readonly InboxRow[], width: number): readonly Line[] {
  const projects = Math.min(MAX_PROJECT_COLUMNS, Math.max(0, ...rows.map(({ project }) => columnsOf(project))));
  const room = width - projects - 6;
  return rows.flatMap((row) => {
    const head = line(" ", statusSymbol(row.status), ` ${padColumns(cutColumns(row.project, projects), projects)}  `);
    const needs = line(toned(statusSymbol(row.status).tone ?? "plain", oneLine(row.needs, 300)));
    const cost = toned("dim", costText(row.cost));
    const command = toned("accent", row.command);
    const request = `${row.rehearsed ? "[rehearsed] " : ""}${oneLine(row.request, 200)}`;
    if (width < WIDE)
      return [
        fitLine(line(...head, toned("strong", cutColumns(request, Math.floor(room / 2))), "  ", ...needs), width),
        fitLine(line(" ".repeat(projects + 5), command, "  ", cost), width),
      ];
    const end = line("  ", cost, "  ", command);
    const left = room - lineColumns(end);
    const requestColumns = Math.max(16, Math.floor(left / 2) - 2);
    const text = line(toned("strong", padColumns(cutColumns(request, requestColumns), requestColumns)), "  ", ...needs);
    const fitted = fitLine(text, left);
    return [line(...head, ...fitted, " ".repeat(Math.max(0, left - lineColumns(fitted))), ...end)];
  });
}
