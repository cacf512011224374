import { materiaOf } from "../../core/compile/graph.ts";
import type { Effect } from "../../core/cast/next.ts";
import { currentItem } from "../../core/cast/state.ts";
import { NO_USAGE } from "../../core/cast/usage.ts";
import { itemKey } from "../../core/model/handoff.ts";
import type { JsonObject } from "../../core/model/json.ts";
import type { Performed, Performing } from "./performing.ts";

type UtilityEffect = Extract<Effect, { kind: "utility" }>;

/** One run of a utility, with its input and output kept as files. */
export async function runUtilityVisit(effect: UtilityEffect, performing: Performing): Promise<Performed> {
  const { state, ports, options } = performing;
  const { socket, visit } = effect;
  const materia = materiaOf(state.graph, socket);
  if (materia.type !== "utility") throw new Error(`${socket.id} holds no utility`);
  const input = utilityInput(effect, performing);
  const write = (file: string, text: string): Promise<string | undefined> =>
    ports.artifacts.write(socket.id, visit.number, file, text);
  const kept = await write("input.json", `${JSON.stringify(input, undefined, 2)}\n`);
  if (kept !== undefined) return { kind: "broken", problem: kept };
  const marker = `${ports.artifacts.visitFolder(socket.id, visit.number)}/input.json`;
  const outcome = await ports.runUtility({ materia, input, cwd: options.cwd, signal: options.signal, marker });
  const problem = (await write("stdout.txt", outcome.stdout)) ?? (await write("stderr.txt", outcome.stderr));
  if (problem !== undefined) return { kind: "broken", problem };
  if (outcome.kind === "exited")
    return { kind: "decided", socket, outcome: { kind: "exited", stdout: outcome.stdout, cut: outcome.stdoutCut } };
  if (options.signal.aborted) return { kind: "decided", socket, outcome: { kind: "aborted" } };
  return {
    kind: "decided",
    socket,
    outcome: { kind: "failed", reason: "utility", message: outcome.reason, usage: NO_USAGE },
  };
}

function utilityInput({ socket }: UtilityEffect, { state, options }: Performing): JsonObject {
  const item = currentItem(state);
  const materia = materiaOf(state.graph, socket);
  const params = materia.type === "utility" ? (materia.params ?? {}) : {};
  return {
    cwd: options.cwd,
    runDir: options.runDir,
    request: state.request,
    castId: state.castId,
    socketId: socket.id,
    materia: socket.materia,
    params,
    state: state.data,
    item: item === null ? null : { title: item.title, context: item.context },
    itemKey: item === null ? null : itemKey(state.pass?.cursor ?? 0),
    cursor: item === null ? null : (state.pass?.cursor ?? null),
  };
}
