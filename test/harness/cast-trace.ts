import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { contents, onlyCast, type Life, type Subject } from "./killed.ts";

/** What a cast leaves behind. */
export interface CastTrace {
  readonly state: unknown;
  readonly visits: readonly string[];
  readonly project: Readonly<Record<string, string>>;
  readonly artifacts: Readonly<Record<string, string>>;
}

/** What is left of a cast that ended, without what no two casts share. */
export function traceCast({ workspace }: Subject, { end }: Life): CastTrace {
  const runDir = join(workspace.root, onlyCast(workspace));
  const { cwd } = workspace.place;
  const bare = (text: string): string =>
    text.replaceAll(runDir, "RUN").replaceAll(onlyCast(workspace), "CAST").replaceAll(cwd, "CWD");
  const bareAll = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, bare(text)]));
  return {
    state: JSON.parse(bare(JSON.stringify(end && lasting(end.state)))),
    visits: eventsOf(runDir).flatMap((event) =>
      event.type === "visit_completed" ? [`${event.socket} ${event.visit}`] : [],
    ),
    project: bareAll(contents(cwd, /^\/\.pi\//)),
    artifacts: bareAll(contents(join(runDir, "sockets"), /transcript\.jsonl$/)),
  };
}

/** How often it was resumed shows in the number of its last event, and in nothing else. */
function lasting({ seq: _seq, ...state }: CastState): object {
  return state;
}

export function eventsOf(runDir: string): readonly CastEvent[] {
  const lines = readFileSync(join(runDir, "journal.jsonl"), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as CastEvent); // written by the cast
}
