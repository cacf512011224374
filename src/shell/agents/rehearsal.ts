import * as v from "valibot";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import type { Issue } from "../../core/model/issue.ts";
import { didYouMean } from "../../core/model/values/nearest.ts";
import type { Rehearsal, Reply } from "../../core/model/rehearsal.ts";
import { thrownText } from "../../core/model/values/text.ts";
import type { AgentHost, AgentNeed, Judgement, PersonRequest, TurnOutcome, TurnRequest } from "../ports.ts";
import { realTimer, type Timer } from "./guard.ts";
import { loadPi, NO_CREDENTIALS, settingsFor, type PiContext } from "./pi/pi.ts";
import { noPi, toolIssues } from "./pi/preflight.ts";
import { openLog, type PlayLog } from "./play-log.ts";
import { keyFor, turnsServed } from "./rehearsal-key.ts";
import { SCRIPTED_MODEL, scriptedProvider, type Script, type ScriptedStep } from "./scripted-provider.ts";
import { failed, runPiTurn } from "./turn.ts";

interface RehearsalOptions {
  readonly maxRetries?: number;
  readonly silenceMs?: number;
  readonly after?: Timer;
}

/** [A9] Agents over real Pi sessions whose model plays the replies of a file. */
export function rehearsalHost(rehearsal: Rehearsal, options: RehearsalOptions = {}): AgentHost {
  const { after = realTimer, silenceMs, maxRetries = 3 } = options;
  const scripts = new Map<string, Script>();
  const log = openLog(rehearsal);
  let opened: Promise<PiContext> | undefined;
  const stage = () => (opened ??= openScripted(scripts, after, maxRetries));

  async function runTurn(request: TurnRequest): Promise<TurnOutcome> {
    let session: string | undefined;
    try {
      const script = scriptOf(rehearsal, request, log);
      const onOpened = (id: string) => {
        session = id;
        scripts.set(id, script);
      };
      const setup = { ...(await stage()), model: SCRIPTED_MODEL, after, silenceMs, onOpened };
      const outcome = await runPiTurn(setup, log.following(request));
      const missing = script.missing();
      return missing === undefined ? outcome : failed("rehearsal", missing, outcome.usage);
    } catch (cause) {
      return failed("provider", thrownText(cause), NO_USAGE);
    } finally {
      if (session !== undefined) scripts.delete(session);
    }
  }

  async function preflight(needs: readonly AgentNeed[]): Promise<readonly Issue[]> {
    if (needs.length === 0) return [];
    const opens = await stage().then(
      () => [],
      (cause: unknown) => [noPi(cause)],
    );
    return [...toolIssues(needs), ...opens];
  }

  return { preflight, runTurn, judge: (asked) => answerOf(rehearsal, asked, log), played: log.played };
}

async function openScripted(
  scripts: ReadonlyMap<string, Script>,
  after: Timer,
  maxRetries: number,
): Promise<PiContext> {
  const pi = await loadPi();
  const runtime = await pi.ModelRuntime.create({
    credentials: NO_CREDENTIALS,
    modelsPath: null,
    refreshOnCreate: false,
  });
  runtime.registerNativeProvider(scriptedProvider(scripts, after));
  return { pi, runtime, settings: settingsFor(pi, {}, { maxRetries, baseDelayMs: 0 }) };
}

/** [A10] The part of a rehearsal that one turn plays. */
function scriptOf(rehearsal: Rehearsal, request: TurnRequest, log: PlayLog): Script {
  const key = keyFor(rehearsal, request);
  const replies = Object.hasOwn(rehearsal.replies, key) ? (rehearsal.replies[key] ?? []) : [];
  const told = Math.ceil((request.system.length + request.prompt.length) / 4);
  let position = turnsServed(key, rehearsal, request.earlierTurns(), request.item);
  let steps: readonly ScriptedStep[] = [];
  let missing: string | undefined;

  function next(done: ReadonlySet<string>): ScriptedStep | undefined {
    if (steps.length === 0) {
      const reply = replies[position] ?? (rehearsal.onEmpty === "repeat-last" ? replies.at(-1) : undefined);
      if (!reply) missing = missingOf(key, replies.length, rehearsal, request);
      // [A23] A retry takes the next reply, and the one that failed is used up.
      steps = reply ? stepsOf(reply, position, told).filter(({ does }) => !isDone(does, done)) : [];
      if (reply) log.take(key, position);
      position += 1;
    }
    const [step, ...later] = steps;
    steps = later;
    return step;
  }

  return { next, missing: () => missing };
}

const Answer = v.strictObject({ satisfied: v.boolean(), context: v.optional(v.string(), "") });

/** [Q13] What a person is scripted to say. A script that says nothing leaves them to be asked. */
function answerOf(rehearsal: Rehearsal, asked: PersonRequest, log: PlayLog): Judgement | undefined {
  const key = keyFor(rehearsal, asked);
  const replies = Object.hasOwn(rehearsal.replies, key) ? (rehearsal.replies[key] ?? []) : [];
  const position = turnsServed(key, rehearsal, asked.earlierTurns(), asked.item);
  const reply = replies[position] ?? (rehearsal.onEmpty === "repeat-last" ? replies.at(-1) : undefined);
  if (!reply) return undefined;
  log.take(key, position);
  const read = v.safeParse(Answer, reply.json);
  if (read.success) return { kind: "judged", satisfied: read.output.satisfied, text: read.output.context.trim() };
  const message =
    `reply ${Math.min(position + 1, replies.length)} under "${key}" is no answer of a person (${asked.socket}); ` +
    'write { "json": { "satisfied": true } }, or false with a "context" that says why';
  return { kind: "failed", message };
}

/** [D3] A turn that was cut off goes on behind the calls that its transcript has results of. */
function isDone(does: ScriptedStep["does"], done: ReadonlySet<string>): boolean {
  return does.kind === "call" && done.has(does.id);
}

/** Calls go out one by one: Pi runs the calls of one message at the same time. */
function stepsOf(reply: Reply, position: number, told: number): readonly ScriptedStep[] {
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
    usage: reply.usage ? share(reply.usage, index, calls.length + 1) : does === last ? guess : { input: 0, output: 0 },
  }));
}

/** [A13] Each request of a reply has its part of what the reply is said to use, and the last one the rest. */
function share({ input, output }: ScriptedStep["usage"], index: number, requests: number): ScriptedStep["usage"] {
  const part = (amount: number): number => {
    const even = Math.floor(amount / requests);
    return index === requests - 1 ? amount - even * index : even;
  };
  return { input: part(input), output: part(output) };
}

function missingOf(key: string, count: number, rehearsal: Rehearsal, request: TurnRequest): string {
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
