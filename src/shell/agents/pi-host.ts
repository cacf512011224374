import { hash } from "node:crypto";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import { type KeyPath } from "../../core/model/issue.ts";
import { splitModels, type ThinkingLevel } from "../../core/model/materia.ts";
import { thrownMessage } from "../../core/model/text.ts";
import type { AgentHost, TurnOutcome } from "../ports.ts";
import { realTimer, type Timer } from "./turn-guard.ts";
import {
  chooseModel,
  loadConfiguredPi,
  type ModelChoice,
  type ConfiguredPi,
  registerModelKey,
  modelIssues,
} from "./pi-models.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { createPreflight } from "./equipped-session.ts";
import type { PiModel, SessionHooks, RetryPolicy } from "./pi-sdk.ts";
import { failedTurn, runPiTurn } from "./pi-turn.ts";

export interface PiHostOptions extends Partial<RetryPolicy> {
  /** For materia that name no model: `provider/id`. */
  readonly defaultModel?: string;
  /** The setting that names it; the option if unset. */
  readonly defaultModelAt?: KeyPath;
  readonly defaultThinking?: ThinkingLevel;
  readonly silenceMs?: number;
  readonly after?: Timer;
  readonly hooks?: SessionHooks;
}

export function createPiHost(options: PiHostOptions = {}): AgentHost {
  const { after = realTimer, silenceMs, hooks = {} } = options;
  let opened: Promise<ConfiguredPi> | undefined;
  const stage = () => (opened ??= loadConfiguredPi(options, hooks.equip));
  const chosen = new Map<string | undefined, Promise<ModelChoice>>();

  async function modelFor(model: string | undefined): Promise<ModelChoice> {
    const wanted = model ?? (options.defaultModel && splitModels(options.defaultModel)[0]);
    const choice = chosen.get(wanted) ?? stage().then((pi) => chooseModel(pi, wanted));
    chosen.set(wanted, choice);
    return choice;
  }

  async function usableModel(wanted: string | undefined): Promise<PiModel | undefined> {
    const choice = await modelFor(wanted).catch(() => undefined);
    return choice?.kind === "found" ? choice.model : undefined;
  }

  return {
    ...createPreflight(stage, { after, ...withoutUndefined({ hooks: options.hooks }) }, (pi, needs) =>
      modelIssues(pi, needs, options),
    ),
    defaultModels: async () => {
      if (options.defaultModel !== undefined) return splitModels(options.defaultModel);
      const model = await usableModel(undefined);
      return model ? [nameOf(model)] : [];
    },
    usableModels: async () => (await (await stage()).runtime.getAvailable()).map(nameOf),
    contextWindow: async (wanted) => (await usableModel(wanted))?.contextWindow,
    keyDigest: async (wanted) => {
      const model = await usableModel(wanted);
      return model && hash("sha256", (await registerModelKey(await stage(), model)).join("\n"));
    },
    resolveModel: async (wanted) => {
      const model = await usableModel(wanted);
      return model && nameOf(model);
    },
    runTurn: async (request) => {
      try {
        const choice = await modelFor(request.model);
        if (choice.kind !== "found") return modelFailure(choice);
        await registerModelKey(await stage(), choice.model);
        const thinking = request.thinking ?? options.defaultThinking;
        return await runPiTurn({ ...(await stage()), model: choice.model, thinking, after, silenceMs, hooks }, request);
      } catch (cause) {
        return failedTurn("provider", thrownMessage(cause), NO_USAGE);
      }
    },
  };
}

function nameOf({ provider, id }: PiModel): string {
  return `${provider}/${id}`;
}

function modelFailure(choice: Exclude<ModelChoice, { kind: "found" }>): TurnOutcome {
  const failed = (message: string) => failedTurn("provider", message, NO_USAGE);
  switch (choice.kind) {
    case "unknown":
      return failed(`Pi knows no model "${choice.wanted}"`);
    case "missing_api_key":
      return failed(`there is no key for ${choice.provider}`);
    case "none":
      return failed("Pi has no model with a key");
  }
}
