import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CastEvent, EventOf, EventType } from "../../../src/core/cast/state/event.ts";
import type { CastState } from "../../../src/core/cast/state/state.ts";
import { NO_USAGE } from "../../../src/core/cast/state/usage.ts";
import { resumeCast, type Resumption } from "../../../src/shell/casting/resume-cast.ts";
import { planCast, startCast } from "../../../src/shell/casting/start-cast.ts";
import type { AgentHost, TurnRequest } from "../../../src/shell/ports.ts";
import { fileStore } from "../../../src/shell/store/files/file-store.ts";
import type { CastFile } from "../../../src/shell/store/cast-file.ts";
import type { CastStore } from "../../../src/shell/store/cast-store.ts";
import { catalogOf, compiled, type TestConfig } from "../../harness/play.ts";
import { copied } from "../../harness/copied.ts";
import { commitAll, git, scratch } from "../../git/scratch.ts";
import { parallelWorkshop } from "./scenarios.ts";

export { git };

export type Files = Readonly<Record<string, string>>;

/** A repository with one commit of these files, whose casts are kept in an ignored folder. */
export function repositoryWith(files: Files): string {
  const cwd = scratch();
  copied(`parallel ${JSON.stringify(files)}`, cwd, (folder) => {
    writeFiles(folder, { ".gitignore": ".pi/\n", ...files });
    commitAll(folder);
    git(folder, "config", "user.name", "A Person");
    git(folder, "config", "user.email", "person@example.org");
  });
  return cwd;
}

export function writeFiles(cwd: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
}

/** The actions of an item's agent in its tree, by key; an item that is not named writes one file. */
export type ItemAction = Readonly<Record<string, (request: TurnRequest) => FailingItem | void>>;

/** Why the turn of an agent fails. */
export interface FailingItem {
  readonly fails: string;
}

export interface Setting {
  readonly cwd: string;
  readonly titles: readonly string[];
  readonly doing?: ItemAction;
  /** The actions of the first evaluation of an item. */
  readonly judging?: ItemAction;
  readonly lanes?: number;
  readonly after?: Readonly<Record<number, readonly number[]>>;
  readonly more?: Parameters<typeof parallelWorkshop>[1];
  readonly config?: TestConfig;
  readonly details?: Partial<CastFile>;
  /** Where casts are kept; an ignored folder of the project if unset. */
  readonly casts?: string;
  readonly signal?: AbortSignal;
}

export interface Ran {
  readonly castId: CastFile["castId"];
  readonly store: CastStore;
  readonly state: CastState;
  readonly kind: string;
  readonly problem: string;
}

function hostOf({ titles, doing = {}, judging = {}, after = {} }: Setting): AgentHost {
  return {
    preflight: async () => [],
    runTurn: async (request) => {
      const { socket, item, cwd } = request;
      const said = (text: string) => ({ kind: "said", text, usage: NO_USAGE, model: "test" }) as const;
      if (socket === "Socket-1") {
        const workItems = titles.map((title, index) => ({
          title,
          context: "c",
          ...(after[index + 1] ? { after: after[index + 1] } : {}),
        }));
        return said(JSON.stringify({ workItems }));
      }
      if (socket === "Socket-2") {
        const own = doing[item ?? ""];
        const failing = own?.(request);
        if (failing) return { kind: "failed", reason: "provider", message: failing.fails, usage: NO_USAGE };
        if (!own) writeFiles(cwd, { [`${item}.txt`]: `${item}\n` });
        return said(`built ${item}`);
      }
      const unjudged = socket === "Socket-3" && judging[item ?? ""]?.(request);
      if (unjudged) return { kind: "failed", reason: "provider", message: unjudged.fails, usage: NO_USAGE };
      return said(socket === "Socket-5" ? "told" : JSON.stringify({ satisfied: true, context: "" }));
    },
  };
}

export async function castIn(setting: Setting): Promise<Ran> {
  const { cwd, lanes = 3, more = {}, details = {}, signal = new AbortController().signal } = setting;
  const store = fileStore(setting.casts ?? join(cwd, ".pi", "casts"));
  const config = setting.config ?? parallelWorkshop(lanes, more);
  const { limits, budget } = catalogOf(config).settings;
  const plan = planCast(compiled(config).graph, { request: "do it", cwd, limits, budget, ...details });
  const end = await startCast(plan, { store, host: hostOf(setting), signal });
  if (!end.ok) throw new Error(JSON.stringify(end.issues));
  return ranOf(store, plan.file.castId, end.value);
}

export async function resumeIn(setting: Setting, before: Ran, how: Resumption = { kind: "recast" }): Promise<Ran> {
  const { store, castId } = before;
  const cast = await store.load(castId);
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  const { cwd } = setting;
  const plan = { cast: cast.value, how, by: "recast" };
  const end = await resumeCast(plan, { store, cwd, host: hostOf(setting), signal: new AbortController().signal });
  if (!end.ok) throw new Error(JSON.stringify(end.issues));
  return ranOf(store, castId, end.value);
}

function ranOf(
  store: CastStore,
  castId: Ran["castId"],
  end: { kind: string; state: CastState; problem?: string },
): Ran {
  return { castId, store, state: end.state, kind: end.kind, problem: end.problem ?? "" };
}

async function eventsOf({ store, castId }: Ran): Promise<readonly CastEvent[]> {
  const cast = await store.load(castId);
  return cast.ok ? cast.value.events : [];
}

export async function eventsOfType<K extends EventType>(ran: Ran, type: K): Promise<readonly EventOf<K>[]> {
  return (await eventsOf(ran)).filter((event) => event.type === type); // filtered by type
}
