import type { Command } from "../../../core/command/command.ts";
import { ok } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import { oneLine } from "../../../core/model/values/text.ts";
import { outcomeOf, visitsOf } from "../../../core/testing/observed.ts";
import { tokensOf } from "../../../core/cast/state/usage.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { fileSpans } from "../../../core/view/file-spans.ts";
import { amountText, clockText, costText, millisOf } from "../../../core/view/numbers.ts";
import { padColumns } from "../../../core/view/text/columns.ts";
import { line, toned } from "../../../core/view/text/line.ts";
import type { Line } from "../../../core/view/text/line.ts";
import { castNamed } from "../../casting/workspace/named-cast.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import { listChanges } from "../../git/changes.ts";
import type { LoadedCast } from "../../store/cast-store.ts";
import type { Answer } from "../answer/answer.ts";

type CompareCommand = Extract<Command, { kind: "compare" }>;

/** [T25] Two casts side by side: path, handoffs, figures, files. */
export async function compare(workspace: Workspace, { first, second }: CompareCommand): Promise<Result<Answer>> {
  const [left, right] = [await loaded(workspace, first), await loaded(workspace, second)];
  if (!left.ok) return left;
  if (!right.ok) return right;
  const [a, b] = [sideOf(left.value), sideOf(right.value)];
  const rows = Array.from({ length: Math.max(a.path.length, b.path.length) }, (_, at) => ({
    left: a.path[at] ?? null,
    right: b.path[at] ?? null,
    same: a.path[at] === b.path[at] && a.handed[at] === b.handed[at],
  }));
  const files = await changedFiles(workspace, left.value, right.value);
  const { path: _path, handed: _handed, ...figures } = a;
  const { path: _other, handed: _said, ...others } = b;
  return ok({
    code: 0,
    data: { first: figures, second: others, visits: rows, files },
    lines: (width) => compareLines({ a, b, rows, files }, Math.floor((Math.min(width, 120) - 4) / 2)),
  });
}

async function loaded({ store }: Workspace, named: string): Promise<Result<LoadedCast>> {
  const id = await castNamed(store, named);
  return id.ok ? store.load(id.value) : id;
}

function sideOf({ castId, state, events, file }: LoadedCast) {
  const ended = millisOf(events.at(-1)?.at ?? null, 0) - millisOf(events[0]?.at ?? null, 0);
  return {
    castId,
    loadout: file.loadout.name,
    outcome: outcomeOf(state),
    visits: state.done.visits,
    itemsDone: state.done.itemsDone,
    tokens: tokensOf(state.usage),
    cost: state.usage.cost,
    seconds: Math.max(0, ended) / 1000,
    path: visitsOf(events).map(({ materia, socket, visit }) => `${materia} (${socket}#${visit})`),
    handed: handedIn(events),
  };
}

function handedIn(events: readonly CastEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "handoff_accepted") return [JSON.stringify(event.handoff)];
    return event.type === "output_accepted" ? [event.text] : [];
  });
}

/** What differs between the trees that they ended with, where both were kept. */
async function changedFiles(
  { place }: Workspace,
  left: LoadedCast,
  right: LoadedCast,
): Promise<readonly string[] | null> {
  const [a, b] = [fileSpans(left.events), fileSpans(right.events)];
  if (a.kind !== "kept" || b.kind !== "kept") return null;
  const changes = await listChanges({ cwd: place.cwd, from: a.whole.to, to: b.whole.to });
  return changes.map(({ path }) => path);
}

type Side = ReturnType<typeof sideOf>;

function compareLines(
  {
    a,
    b,
    rows,
    files,
  }: {
    readonly a: Side;
    readonly b: Side;
    readonly rows: readonly { readonly left: string | null; readonly right: string | null; readonly same: boolean }[];
    readonly files: readonly string[] | null;
  },
  room: number,
): readonly Line[] {
  const beside = (left: string, right: string, same: boolean): Line =>
    line(
      toned(same ? "dim" : "rework", same ? "  " : "≠ "),
      padColumns(oneLine(left, room), room),
      "  ",
      oneLine(right, room),
    );
  const figures = (side: Side): string =>
    `${side.outcome} · ${side.visits} visits · ${amountText(side.tokens)} tokens · ${costText(side.cost)} · ${clockText(side.seconds * 1000)}`;
  return [
    beside(a.castId, b.castId, true),
    beside(figures(a), figures(b), a.outcome === b.outcome),
    ...rows.map(({ left, right, same }) => beside(left ?? "", right ?? "", same)),
    ...(files === null
      ? [line(toned("dim", "Files were not kept for both."))]
      : [
          line(
            toned("dim", "Files  "),
            files.length === 0
              ? "the same"
              : files
                  .slice(0, 20)
                  .map((path) => oneLine(path, 80))
                  .join(", "),
          ),
        ]),
  ];
}
