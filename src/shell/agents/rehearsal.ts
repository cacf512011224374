import * as v from "valibot";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import type { Issue } from "../../core/model/issue.ts";
import { didYouMean } from "../../core/model/values/nearest.ts";
import type { Rehearsal, ScriptedReply } from "../../core/model/rehearsal.ts";
import { thrownMessage } from "../../core/model/values/text.ts";
import type { AgentHost, AgentRequirement, ScriptedAnswer, PersonGateRequest, TurnOutcome, TurnRequest } from "../ports.ts";
import { realTimer, type Timer } from "./guard.ts";
import { loadPi, EMPTY_CREDENTIALS, createSettings, type PiContext } from "./pi/pi.ts";
import { missingPiIssue, toolIssues } from "./pi/preflight.ts";
import { createRehearsalLog, type RehearsalLog } from "./play-log.ts";
import { rehearsalKeyFor, countServedTurns } from "./rehearsal-key.ts";
import { SCRIPTED_MODEL, createScriptedProvider, type ReplyScript, type ScriptedStep } from "./scripted-provider.ts";
import { failedTurn, runPiTurn } from "./turn.ts";

interface RehearsalOptions {
  readonly maxRetries?: number;
  readonly silenceMs?: number;
  readonly after?: Timer;
}

/** [A9] Agents over real Pi sessions whose model plays the replies of a file. */
export function createRehearsalHost(rehearsal: Rehearsal, options: RehearsalOptions = {}): AgentHost {
  const { after = realTimer, silenceMs, maxRetries = 3 } = options;
  const scripts = new Map<string, ReplyScript>();
  const log = createRehearsalLog(rehearsal);
  let opened: Promise<PiContext> | undefined;
  const stage = () => (opened ??= openScriptedPi(scripts, after, maxRetries));

  async function runTurn(request: TurnRequest): Promise<TurnOutcome> {
    let session: string | undefined;
    try {
      const script = scriptFor(rehearsal, request, log);
      const onOpened = (id: string) => {
        session = id;
        scripts.set(id, script);
      };
      const setup = { ...(await stage()), model: SCRIPTED_MODEL, after, silenceMs, onOpened };
      const outcome = await runPiTurn(setup, log.trackTools(request));
      const missing = script.missing();
      return missing === undefined ? outcome : failedTurn("rehearsal", missing, outcome.usage);
    } catch (cause) {
      return failedTurn("provider", thrownMessage(cause), NO_USAGE);
    } finally {
      if (session !== undefined) scripts.delete(session);
    }
  }

  async function preflight(needs: readonly AgentRequirement[]): Promise<readonly Issue[]> {
    if (needs.length === 0) return [];
    const opens = await stage().then(
      () => [],
      (cause: unknown) => [missingPiIssue(cause)],
    );
    return [...toolIssues(needs), ...opens];
  }

  return { preflight, runTurn, answerGate: (asked) => answerForPerson(rehearsal, asked, log), rehearsalUsage: log.played };
}

async function openScriptedPi(
  scripts: ReadonlyMap<string, ReplyScript>,
  after: Timer,
  maxRetries: number,
): Promise<PiContext> {
  const pi = await loadPi();
  const runtime = await pi.ModelRuntime.create({
    credentials: EMPTY_CREDENTIALS,
    modelsPath: null,
    refreshOnCreate: false,
  });
  runtime.registerNativeProvider(createScriptedProvider(scripts, after));
  return { pi, runtime, settings: createSettings(pi, {}, { maxRetries, baseDelayMs: 0 }) };
}

/** [A10] The part of a rehearsal that one turn plays. */
function scriptFor(rehearsal: Rehearsal, request: TurnRequest, log: RehearsalLog): ReplyScript {
  const key = rehearsalKeyFor(rehearsal, request);
  const replies = Object.hasOwn(rehearsal.replies, key) ? (rehearsal.replies[key] ?? []) : [];
  const told = Math.ceil((request.system.length + request.prompt.length) / 4);
  let position = countServedTurns(key, rehearsal, request.earlierTurns(), request.item);
  let steps: readonly ScriptedStep[] = [];
  let missing: string | undefined;

  function next(done: ReadonlySet<string>): ScriptedStep | undefined {
    if (steps.length === 0) {
      const reply = replies[position] ?? (rehearsal.onEmpty === "repeat-last" ? replies.at(-1) : undefined);
      if (!reply) missing = missingReplyText(key, replies.length, rehearsal, request);
      // [A23] A retry takes the next reply, and the one that failed is used up.
      steps = reply ? scriptedSteps(reply, position, told).filter(({ does }) => !isCallDone(does, done)) : [];
      if (reply) log.markTaken(key, position);
      position += 1;
    }
    const [step, ...later] = steps;
    steps = later;
    return step;
  }

  return { next, missing: () => missing };
}

const PersonAnswer = v.strictObject({ satisfied: v.boolean(), context: v.optional(v.string(), "") });

/** [Q13] What a person is scripted to say. A script that says nothing leaves them to be asked. */
function answerForPerson(rehearsal: Rehearsal, asked: PersonGateRequest, log: RehearsalLog): ScriptedAnswer | undefined {
  const key = rehearsalKeyFor(rehearsal, asked);
  const replies = Object.hasOwn(rehearsal.replies, key) ? (rehearsal.replies[key] ?? []) : [];
  const position = countServedTurns(key, rehearsal, asked.earlierTurns(), asked.item);
  const reply = replies[position] ?? (rehearsal.onEmpty === "repeat-last" ? replies.at(-1) : undefined);
  if (!reply) return undefined;
  log.markTaken(key, position);
  const read = v.safeParse(PersonAnswer, reply.json);
  if (read.success) return { kind: "judged", satisfied: read.output.satisfied, text: read.output.context.trim() };
  const message =
    `reply ${Math.min(position + 1, replies.length)} under "${key}" is no answer of a person (${asked.socket}); ` +
    'write { "json": { "satisfied": true } }, or false with a "context" that says why';
  return { kind: "failed", message };
}

/** [D3] A turn that was cut off goes on behind the calls that its transcript has results of. */
function isCallDone(does: ScriptedStep["does"], done: ReadonlySet<string>): boolean {
  return does.kind === "call" && done.has(does.id);
}

/** Calls go out one by one: Pi runs the calls of one message at the same time. */
function scriptedSteps(reply: ScriptedReply, position: number, told: number): readonly ScriptedStep[] {
  const text = reply.text ?? (reply.json === undefined ? "" : JSON.stringify(reply.json));
  const calls = reply.tools.map((call, index): ScriptedStep["does"] => ({
    kind: "call",
    id: `call-${position + 1}-${index + 1}`,
    name: call.name,
    args: call.arguments,
  }));
  const last: ScriptedStep["does"] = reply.error ? { kind: "fail", error: reply.error } : { kind: "say", text };
  const guess = reply.error ? { input: 0, output: 0 } : { input: told, output: Math.ceil(text.length / 4) };
  return [...calls, last].map((does, index) => ({
    does,
    delayMs: index === 0 ? (reply.delayMs ?? 0) : 0,
    usage: reply.usage ? shareOfUsage(reply.usage, index, calls.length + 1) : does === last ? guess : { input: 0, output: 0 },
  }));
}

/** [A13] Each request of a reply has its part of what the reply is said to use, and the last one the rest. */
function shareOfUsage({ input, output }: ScriptedStep["usage"], index: number, requests: number): ScriptedStep["usage"] {
  const part = (amount: number): number => {
    const even = Math.floor(amount / requests);
    return index === requests - 1 ? amount - even * index : even;
  };
  return { input: part(input), output: part(output) };
}

function missingReplyText(key: string, count: number, rehearsal: Rehearsal, request: TurnRequest): string {
  if (count > 0) {
    return (
      `the rehearsal has no reply left for "${key}" (${request.socket}): its ${count} ${count === 1 ? "reply is" : "replies are"} used up; ` +
      `add another under "${key}", or set "onEmpty": "repeat-last"`
    );
  }
  const meant = didYouMean(key, Object.keys(rehearsal.replies));
  return (
    `the rehearsal has no reply for ${request.materia} (${request.socket}); ` +
    `add one under "${request.materia}" or "${request.socket}"${meant === undefined ? "" : `; ${meant}`}`
  );
}
