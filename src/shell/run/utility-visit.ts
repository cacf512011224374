import { materiaOf } from "../../core/compile/graph.ts";
import type { Effect } from "../../core/cast/next.ts";
import { currentItem } from "../../core/cast/state/current-item.ts";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import { itemKey } from "../../core/model/handoff.ts";
import { withoutUndefined, type Json } from "../../core/model/json.ts";
import type { UtilityMateria } from "../../core/model/materia.ts";
import { truncate } from "../../core/model/text.ts";
import type { UtilityOutcome, UtilityRequest } from "../ports.ts";
import { idempotencyKeyOf } from "../process/processes.ts";
import { visitSandbox, type EffectContext, type EffectResult } from "../context/run-context.ts";

type UtilityEffect = Extract<Effect, { kind: "utility" }>;

export async function runUtilityVisit(effect: UtilityEffect, context: EffectContext): Promise<EffectResult> {
  const { state, ports, options } = context;
  const { socket, visit } = effect;
  const materia = materiaOf(state.graph, socket);
  if (materia.type !== "utility") throw new Error(`${socket.id} holds no utility`);
  const input = utilityInput(effect, materia, context);
  const write = (file: string, text: string): Promise<string | undefined> =>
    ports.artifacts.write(socket.id, visit.number, file, text);
  const unkept = await writeInput(input, ports, write);
  if (unkept !== undefined) return { kind: "broken", problem: unkept };
  const request = {
    materia,
    input,
    cwd: options.cwd,
    sandbox: visitSandbox(materia, context),
    signal: options.signal,
    idempotencyKey: input.idempotencyKey,
    ...withoutUndefined({ secret: options.secretOf?.(socket.id, visit.number) }),
  };
  const outcome = await runWithRetries(request, effect, context);
  const problem = (await write("stdout.txt", outcome.stdout)) ?? (await write("stderr.txt", outcome.stderr));
  if (problem !== undefined) return { kind: "broken", problem };
  if (outcome.kind === "exited") return { kind: "exited", stdout: outcome.stdout, cut: outcome.stdoutCut };
  if (outcome.kind === "judged") return { kind: "ended", code: outcome.code, printed: outcome.stdout };
  if (options.signal.aborted) return { kind: "aborted" };
  return { kind: "failed", reason: "utility", message: outcome.reason, usage: NO_USAGE };
}

/** [J26] The program gets the whole input. The file refers to large values; otherwise every item would store the whole list. */
async function writeInput(
  input: ReturnType<typeof utilityInput>,
  { artifacts }: EffectContext["ports"],
  write: (file: string, text: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const state: Record<string, Json> = {};
  for (const [key, value] of Object.entries(input.state)) {
    const kept = await artifacts.storeValue(value);
    if (kept.kind === "failed") return kept.problem;
    state[key] = kept.json;
  }
  return write("input.json", `${JSON.stringify({ ...input, state }, undefined, 2)}\n`);
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** [U38] Retries a failed run as often as its materia says. A gate that said no has not failed. */
async function runWithRetries(
  request: UtilityRequest,
  { socket, visit }: UtilityEffect,
  { ports, options, report }: EffectContext,
): Promise<UtilityOutcome> {
  const { retries = 0 } = request.materia;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await ports.runUtility(request);
    if (outcome.kind !== "failed" || attempt > retries || options.signal.aborted) return outcome;
    const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1));
    const error = truncate(outcome.reason, 2_000);
    report({ type: "turn_retried", socket: socket.id, visit: visit.number, attempt, error, delayMs });
    await ports.pause(delayMs, options.signal);
    // [D28] Do not retry for a cast that another process owns: the store refuses its result.
    if (options.signal.aborted || !(await ports.holdsClaim())) return outcome;
  }
}

function utilityInput(
  { socket, visit }: UtilityEffect,
  { params = {} }: UtilityMateria,
  { state, options, ports }: EffectContext,
) {
  const item = currentItem(state);
  const cursor = item && (state.pass?.cursor ?? 0);
  return {
    cwd: options.cwd,
    runDir: ports.artifacts.folder,
    request: state.request,
    castId: state.castId,
    socketId: socket.id,
    idempotencyKey: idempotencyKeyOf(state.castId, socket.id, visit.number),
    materia: socket.materia,
    params,
    state: state.data,
    item: item === null ? null : { title: item.title, context: item.context },
    itemKey: cursor === null ? null : itemKey(cursor),
    cursor,
  };
}
