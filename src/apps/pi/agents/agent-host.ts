import type { ExtensionContext, ModelRuntime } from "@earendil-works/pi-coding-agent";
import { error, type Issue } from "../../../core/model/issue.ts";
import { KNOWN_TOOLS } from "../../../core/model/materia.ts";
import { realTimer, type Timer } from "../../../shell/agents/turn-guard.ts";
import { createPiHost } from "../../../shell/agents/pi-host.ts";
import { isVirtualModel, type PiModel } from "../../../shell/agents/pi-sdk.ts";
import { registerSecrets } from "../../../shell/secrets/redact.ts";
import type { AgentChoice, AgentRetryOptions } from "../../../shell/workspace/agent-hosts.ts";
import type { AgentHost, AgentRequirement, TurnOutcome, TurnRequest } from "../../../shell/ports.ts";
import { type UserSession, runUnlessReplaced } from "../session/user-session.ts";
import { findToolGuards } from "./tool-guards.ts";
import type { TurnControl } from "./turn-control.ts";
import type { VisibleTurns } from "./visible-turns.ts";
import type { Usage } from "../../../core/cast/state/usage.ts";
import { withoutUndefined } from "../../../core/model/json.ts";

interface UserAgentOptions {
  readonly choice: AgentChoice;
  readonly patience: AgentRetryOptions;
  readonly visible: VisibleTurns | undefined;
  readonly control: TurnControl;
  readonly after?: Timer;
}

/** [X14] Agents with the user's keys, providers and model, behind the user's tool guards; interactive agents run in the user's session. */
export async function createUserAgentHost(
  user: UserSession,
  { choice, patience, visible, control, after = realTimer }: UserAgentOptions,
): Promise<AgentHost> {
  const { pi, ctx } = user;
  const model = choice.model ?? (ctx.model ? `${ctx.model.provider}/${ctx.model.id}` : undefined);
  const key = ctx.model && (await ctx.modelRegistry.getApiKeyForProvider(ctx.model.provider));
  // [S7] The agent in the user's session gets the same, and writes a transcript too.
  if (ctx.model && key !== undefined) registerSecrets([{ name: `key of ${ctx.model.provider}`, value: key }]);
  const gates = await findToolGuards(ctx);
  const isolated = createPiHost({
    ...patience,
    after,
    ...withoutUndefined({ defaultModel: model, defaultModelAt: choice.modelAt }),
    defaultThinking: choice.thinking ?? pi.getThinkingLevel(),
    hooks: {
      equip: (runtime) => shareProviders(ctx, runtime),
      ...gates,
      opened: async (session, turn) => {
        control.registerSession(session, turn.request);
        await gates.opened?.(session, turn);
      },
    },
  });
  const runIsolated = async (turn: TurnRequest): Promise<TurnOutcome> => {
    const outcome = await isolated.runTurn(turn);
    addToSessionUsage(ctx, outcome.usage, outcome.kind === "said" ? outcome.model : (turn.model ?? model ?? ""));
    return outcome;
  };
  const thinking = choice.thinking === undefined ? {} : { thinking: choice.thinking };
  const allowed = new Set(pi.getAllTools().map(({ name }) => name));
  return {
    ...isolated,
    preflight: async (needs, place) => [...forbiddenTools(needs, allowed), ...(await isolated.preflight(needs, place))],
    // [X32] Every agent gets the same time and the same number of tries, in both kinds of sessions.
    runTurn: (request) =>
      control.run(request, (turn) =>
        turn.interactive && visible && !needsOwnSession(turn)
          ? visible.runTurn({ ...thinking, ...turn }, { ...patience, after })
          : runIsolated(turn),
      ),
  };
}

/** [YP8] The user's session has other skills and extensions, and no sandbox. */
function needsOwnSession({ skills, extensions, mcp, sandbox }: TurnRequest): boolean {
  return (skills ?? extensions ?? mcp ?? sandbox) !== undefined;
}

/** [X14] Providers of other extensions, and a key given for this run only, exist only in this process. */
async function shareProviders({ modelRegistry, model }: ExtensionContext, runtime: ModelRuntime): Promise<void> {
  for (const id of modelRegistry.getRegisteredProviderIds()) {
    const native = modelRegistry.getRegisteredNativeProvider(id);
    const config = modelRegistry.getRegisteredProviderConfig(id);
    if (native) runtime.registerNativeProvider(native);
    else if (config) runtime.registerProvider(id, config);
  }
  shareVirtualModels(modelRegistry, runtime);
  if (model && modelRegistry.getProviderAuthStatus(model.provider).source === "runtime") {
    const key = await modelRegistry.getApiKeyForProvider(model.provider);
    if (key !== undefined) await runtime.setRuntimeApiKey(model.provider, key);
  }
  await runtime.refresh({ allowNetwork: false });
}

/** What newer versions of Pi have for virtual models. */
interface RoutingRuntime {
  readonly registerVirtualModel?: (definition: object) => void;
  readonly resolveModel?: (model: PiModel, messages: unknown, options: object) => Promise<unknown>;
}

interface RouteRequest {
  readonly messages: unknown;
  readonly failed?: { readonly message: unknown };
}

/** [Z18] Only the session knows the router of a virtual model: it answers for the agents too. */
function shareVirtualModels(registry: ExtensionContext["modelRegistry"], own: ModelRuntime & RoutingRuntime): void {
  // Pi documents no other way to the routers of its session.
  const session: RoutingRuntime = Reflect.get(registry, "runtime") ?? {};
  if (session.resolveModel === undefined || own.registerVirtualModel === undefined) return;
  for (const model of registry.getAll().filter(isVirtualModel)) {
    const levels = Object.entries(model.thinkingLevelMap ?? {});
    const thinkingLevels = levels.flatMap(([level, mapped]) => (mapped === null ? [] : [level]));
    const route = ({ messages, failed, ...request }: RouteRequest) =>
      session.resolveModel?.(model, messages, { ...request, failed: failed?.message });
    own.registerVirtualModel({ ...model, thinkingLevels, route });
  }
}

/** [X15] One refusal for all tools that this session was started without, with the materia that need them. */
function forbiddenTools(needs: readonly AgentRequirement[], allowed: ReadonlySet<string>): readonly Issue[] {
  const isForbidden = (tool: string): boolean => KNOWN_TOOLS.includes(tool) && !allowed.has(tool);
  const tools = new Set(needs.flatMap((need) => need.tools.filter(isForbidden)));
  if (tools.size === 0) return [];
  const materia = new Set(needs.filter((need) => need.tools.some(isForbidden)).map((need) => need.materia));
  const message = `this Pi was started without ${[...tools].join(", ")}; wanted by ${[...materia].join(", ")}`;
  const hint = "start Pi with these tools, or give the materia another tool scope";
  return [error("forbidden_tool", "--tools", message, hint)];
}

/** Pi's sessions have this function but do not document it; without it only our own figures are complete. */
interface UsageRecorder {
  readonly appendUsage?: (kind: string, provider: string, model: string, usage: object, note?: string) => unknown;
}

/** [X40] Adds the usage of an agent in a separate session to the figures of the user's session. */
function addToSessionUsage(ctx: ExtensionContext, { input, output, cost }: Usage, model: string): void {
  if (input + output + cost === 0) return;
  const slash = model.indexOf("/");
  const [provider, id] = [model.slice(0, Math.max(0, slash)), model.slice(slash + 1)];
  const uncached = { cacheRead: 0, cacheWrite: 0 };
  const costs = { input: 0, output: 0, ...uncached, total: cost };
  const usage = { input, output, ...uncached, totalTokens: input + output, cost: costs };
  runUnlessReplaced(() => {
    const session: object = ctx.sessionManager;
    const keeper: UsageRecorder = session;
    keeper.appendUsage?.("materia", provider, id, usage, "a materia cast");
  });
}
