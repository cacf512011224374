import type { Options } from "../../core/command/options.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { ok, failWith, type Result } from "../../core/model/issue.ts";
import type { PreparedCast } from "../casting/prepared-cast.ts";
import type { Resumption } from "../casting/resume-cast.ts";
import type { CommandCaller } from "./prepare.ts";
import { removeCasts } from "./prune.ts";
import { spawn } from "node:child_process";
import { basename } from "node:path";
import type { CastId } from "../../core/model/ids.ts";
import { oneLine } from "../../core/model/text.ts";
import { runningPiEnvironment } from "../agents/pi-sdk.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import type { CastStore } from "../store/cast-store.ts";
import { packagePath } from "../system/package.ts";
import type { Workspace } from "../workspace/workspace.ts";

type DetachingCaller = Pick<CommandCaller, "workspace" | "options" | "remember" | "trustsCast" | "detachedAgents">;

/** [YT8] A checked cast that a background process of this machine will run. */
export function prepareDetached(
  prepared: PreparedCast,
  { workspace, options, remember, trustsCast, detachedAgents }: DetachingCaller,
  resumed: Resumption | undefined,
): PreparedCast {
  const { castId } = prepared;
  const { store, place } = workspace;
  const run: PreparedCast["run"] = async () => {
    const created = await prepared.create?.();
    if (created?.ok === false) return created;
    // The other process must find the trust that was given here.
    remember();
    const given = optionWords({ ...detachedAgents, ...childOptions(options), trust: trustsCast ?? options.trust });
    const words = resumeWords(resumed ?? { kind: "recast" }, castId, given);
    const detached = await detachCast({ castId, place, store, words });
    if (!detached.ok) {
      // A refused command leaves no trace.
      if (created) await removeCasts(workspace, [castId]);
      return detached;
    }
    return ok({ kind: "paused", state: prepared.timeline().state });
  };
  const remarks: PreparedCast["remarks"] = () => [`the cast runs in the background: materia watch ${castId}`];
  return { ...prepared, remarks, run };
}

export function childOptions({ model, thinking, wait, rehearse, durability, anyway }: Options) {
  const waits = wait === undefined ? undefined : `${wait}ms`;
  return withoutUndefined({ model, thinking, wait: waits, rehearse, durability, anyway });
}

function resumeWords(how: Resumption, castId: string, options: readonly string[]): readonly string[] {
  if (how.kind !== "recast") {
    const text = how.kind === "finish" || how.text === "" ? [] : ["--", how.text];
    return ["continue", ...options, ...optionWords({ reject: how.kind === "reject" }), castId, ...text];
  }
  const { maxTokens: budget, maxCostUsd: cost, allow, decision } = how;
  const decided = decision && (decision.kind === "hint" ? { hint: decision.text } : { [decision.kind]: true });
  return ["recast", ...options, ...optionWords({ budget, cost, allow, ...decided }), castId];
}

interface DetachRequest {
  readonly castId: CastId;
  readonly place: Workspace["place"];
  readonly store: CastStore;
  /** The command that continues the cast, without options of the project. */
  readonly words: readonly string[];
}

const MAX_ERROR_CHARS = 4_000;
const EXIT_REFUSED = 2;

/** [X37, YT8] Starts a background process that continues the stopped cast; returns its process id once it owns the cast. */
export function detachCast({ castId, place, store, words }: DetachRequest): Promise<Result<number>> {
  return startInBackground({
    at: castId,
    place,
    artifacts: store.location,
    words,
    owner: () => store.owner(castId),
    onOwnerChange: (listener) => store.onOwnerChange(castId, listener),
  });
}

interface BackgroundCommand extends Pick<DetachRequest, "place" | "words"> {
  readonly at: string;
  readonly artifacts: string;
  readonly owner: () => Promise<Pick<ProcessIdentity, "pid"> | undefined>;
  readonly onOwnerChange: (listener: () => void) => () => void;
}

/** Starts a command as a background process; returns its process id once it owns its work. */
export async function startInBackground(request: BackgroundCommand): Promise<Result<number>> {
  const { at, place, artifacts, words, owner: ownerNow } = request;
  const { cwd, env, explicitFile: config } = place;
  const options = optionWords({ cwd, artifacts, config });
  const [command = "", ...others] = words;
  const child = spawn(nodePath(), [packagePath("bin", "materia.mjs"), command, ...options, "--quiet", ...others], {
    cwd,
    env: { ...env, ...runningPiEnvironment() },
    // A new session: the end of the terminal does not reach it.
    detached: true,
    // Only a refusal is read. Later output goes nowhere: the journal has everything.
    stdio: ["ignore", "ignore", "pipe"],
  });
  const { promise, resolve } = Promise.withResolvers<Result<number>>();
  let errorOutput = "";
  child.stderr.on("data", (chunk) => (errorOutput = `${errorOutput}${String(chunk)}`.slice(0, MAX_ERROR_CHARS)));
  const refuse = (why: string): void =>
    resolve(failWith("detach_failed", at, `it could not be detached: ${oneLine(why, 300)}`));
  child.once("error", (thrown) => refuse(thrown.message));
  child.once("exit", (code) => (code === EXIT_REFUSED ? refuse(errorOutput) : resolve(ok(child.pid ?? 0))));
  const look = async (): Promise<void> => {
    const owner = await ownerNow().catch(() => undefined);
    // This process may still release it.
    if (owner && owner.pid !== process.pid) resolve(ok(owner.pid));
  };
  const stop = request.onOwnerChange(() => void look());
  void look();
  const done = await promise;
  stop();
  child.stderr.destroy();
  child.unref();
  return done;
}

/** Options as words for a child process; `true` is a flag. */
export function optionWords(options: Readonly<Record<string, string | number | boolean | undefined>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}=${value}`];
  });
}

/** Pi may be a standalone program without a Node that could run a script. */
export function nodePath(): string {
  return basename(process.execPath).startsWith("node") ? process.execPath : "node";
}
