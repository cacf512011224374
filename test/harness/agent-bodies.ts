import * as v from "valibot";
import { onTestFinished } from "vitest";
import { ScriptedReply } from "../../src/core/model/rehearsal.ts";
import { createPiHost, type PiHostOptions } from "../../src/shell/agents/pi-host.ts";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import { handTimer, modelsFile, piFolder, rehearsal, serverReplies, type HandTimer } from "./agents.ts";
import { startModelServer, type ModelServer, type ServerReply } from "./model-server.ts";

export type Replies = readonly v.InferInput<typeof ScriptedReply>[];
type Options = Pick<PiHostOptions, "maxRetries" | "silenceMs">;

/** A delay that no test waits for: the model has been asked, and does not answer. */
export const HANG = 60_000;

interface PlayedAgents {
  readonly host: AgentHost;
  readonly timer: HandTimer;
  /** Resolves when the model has been asked for an answer that never comes. */
  readonly hanging: () => Promise<void>;
}

async function playPi(replies: Replies, options: Options = {}): Promise<PlayedAgents> {
  const server = await servePi(serverReplies(replies.map((reply) => v.parse(ScriptedReply, reply))));
  const timer = handTimer();
  const host = createPiHost({ defaultModel: "local/small", baseDelayMs: 0, after: timer.after, ...options });
  return { host, timer, hanging: server.asked };
}

async function playRehearsal(replies: Replies, options: Options = {}): Promise<PlayedAgents> {
  const timer = handTimer();
  const host = createRehearsalHost(rehearsal({ Build: [...replies] }), { after: timer.after, ...options });
  return { host, timer, hanging: () => timer.set(HANG) };
}

/** Both bodies of the port, with the same replies to give. */
export const BODIES = [
  ["over Pi and a model server", playPi],
  ["over a rehearsal", playRehearsal],
] as const;

interface Setting {
  readonly models?: readonly object[];
  readonly settings?: object;
  readonly files?: Readonly<Record<string, unknown>>;
}

/** A model server, and a configuration of Pi that knows it. */
export async function servePi(
  replies: readonly ServerReply[],
  setting: Setting = {},
): Promise<ModelServer & { readonly folder: string }> {
  const server = await startModelServer(replies);
  onTestFinished(server.close);
  const settings = setting.settings ? { "settings.json": setting.settings } : {};
  const folder = piFolder({ "models.json": modelsFile(server.url, setting.models), ...settings, ...setting.files });
  return { ...server, folder };
}
