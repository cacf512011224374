import type { EffectOutcome } from "../../core/cast/decide.ts";
import { isFree, type RefusedTurn } from "../../core/cast/decide-refusal.ts";
import type { Effect } from "../../core/cast/next.ts";
import { plainProviderError, readRefusal, type Refusal } from "../../core/cast/provider-refusal.ts";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import { materiaOf } from "../../core/compile/graph.ts";
import { splitModels } from "../../core/model/materia.ts";
import { limitOf } from "../../core/model/config.ts";
import { truncate } from "../../core/model/text.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { EffectContext } from "../context/run-context.ts";
import type { TurnOutcome } from "../ports.ts";

interface TurnModel {
  readonly kind: "model";
  readonly model: string | undefined;
  readonly models: readonly string[];
  readonly elsewhere: NonNullable<RefusedTurn["elsewhere"]>;
}

/** [Z8, Z17] The first model of the list that no known refusal excludes. If all are refused, nobody is asked. */
export async function chooseModel(
  effect: Extract<Effect, { kind: "agent" }>,
  context: EffectContext,
): Promise<TurnModel | RefusedTurn | Extract<EffectOutcome, { kind: "failed" }>> {
  const { state, ports, options } = context;
  const { visit, socket } = effect;
  const materia = materiaOf(state.graph, socket);
  const named = options.model ?? (materia.type === "agent" ? materia.model : undefined);
  const listed = named === undefined ? ((await ports.agents.defaultModels?.()) ?? []) : splitModels(named);
  const builder = materia.type === "agent" ? materia.notModelOf : undefined;
  const built = (builder !== undefined && state.providers.answered[builder]?.models) || [];
  const models = listed.filter((each) => !built.includes(each));
  // [Z14] Nobody is asked: the same model would judge its own work.
  if (models.length < listed.length && models.length === 0) {
    const message = `notModelOf: only ${built.join(", ")} could answer, and it answered for ${builder}; name another model`;
    return { kind: "failed", reason: "model", message, usage: NO_USAGE };
  }
  const now = ports.now().getTime();
  const findNews = async (model: string) => {
    const limit = await ports.limits?.find(model, now);
    const isNews = limit && limit.metAt >= (options.resumedAt ?? 0) && isFree(state.providers.refused, model, now);
    return isNews ? [{ model, ...limit }] : [];
  };
  const met = (await Promise.all(models.map(findNews))).flat();
  const elsewhere = Object.fromEntries(met.map(({ model, until }) => [model, until]));
  const known = state.providers.refused;
  const refused: CastState["providers"]["refused"] = met.length === 0 ? known : { ...known, ...elsewhere };
  const free = models.find((each) => isFree(refused, each, now));
  const isExplicit = named !== undefined || listed.length > 1;
  if (visit.switchedTo !== null) return { kind: "model", model: visit.switchedTo, models, elsewhere };
  const [first] = models;
  if (free !== undefined || first === undefined)
    return { kind: "model", model: isExplicit || free !== first ? free : undefined, models, elsewhere };
  const ends = models.map((each) => refused[each] ?? null);
  const at = Math.min(...ends.filter((end) => end !== null));
  const refusal: Refusal = Number.isFinite(at)
    ? { kind: "until", at }
    : { kind: "permanent", fix: "use another model with --model" };
  const where = met.length > 0 ? "for another cast" : "before in this cast";
  const reasonText = met[0] ? `: ${met[0].reason}` : "";
  const message = `${models.join(", ")} ${models.length === 1 ? "was" : "were"} refused ${where}${reasonText}`;
  const model = models[ends.indexOf(at)] ?? first;
  const nothing = { failure: "provider", usage: NO_USAGE, ms: 0, wasAsked: false } as const;
  return { kind: "refused", refusal, message, model, models, elsewhere, now, ...nothing };
}

/** [Z1] The refusal of a failed turn; undefined if the provider did not refuse, or if nothing else can answer. */
export async function readRefusedTurn(
  outcome: Extract<TurnOutcome, { kind: "failed" }>,
  { choice, context, ms, wasAsked }: { choice: TurnModel; context: EffectContext; ms: number; wasAsked: boolean },
): Promise<RefusedTurn | undefined> {
  const { reason: failure, message, usage } = outcome;
  if (failure !== "provider" && failure !== "timeout" && failure !== "overflow") return undefined;
  const { ports, state } = context;
  const now = ports.now().getTime();
  const model = choice.model ?? outcome.model ?? choice.models[0] ?? "the model";
  const listed = choice.models.length === 0 ? [model] : choice.models;
  const said = plainProviderError(message);
  const { elsewhere } = choice;
  const turn = { kind: "refused", message: said, failure, model, usage, ms, now, wasAsked, elsewhere } as const;
  if (failure === "overflow") {
    const models = await largerModels(listed, model, context);
    return models.length < 2 ? undefined : { ...turn, models, refusal: { kind: "permanent", fix: "" } };
  }
  const refusal = readRefusal({ ...outcome.response, text: message }, { now });
  if (!refusal) return undefined;
  if (refusal.kind === "until" && refusal.at - now > limitOf(state.limits, "maxRetryAfter"))
    await ports.limits?.record(model, { until: refusal.at, metAt: now, reason: ports.redact(truncate(said, 300)) });
  return { ...turn, models: listed, refusal };
}

/** [Z13] The model, and those with a larger context. */
async function largerModels(
  models: readonly string[],
  model: string,
  { ports: { agents } }: EffectContext,
): Promise<readonly string[]> {
  const size = (await agents.contextWindow?.(model)) ?? 0;
  const sizes = await Promise.all(models.map(async (each) => (await agents.contextWindow?.(each)) ?? 0));
  return models.filter((each, index) => each === model || (sizes[index] ?? 0) > size);
}
