import * as v from "valibot";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import { HAND_OVER } from "../../core/model/handoff.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { nearestName, thrownMessage } from "../../core/model/text.ts";
import type { Rehearsal, ScriptedReply } from "../../core/model/rehearsal.ts";
import type {
  AgentHost,
  ScriptedAnswer,
  PersonGateRequest,
  TurnOutcome,
  TurnRequest,
  TurnProgress,
  SocketTurnCount,
} from "../ports.ts";
import { realTimer, type Timer } from "./turn-guard.ts";
import { loadPi, EMPTY_CREDENTIALS, createSettings, type PiContext } from "./pi-sdk.ts";
import { SCRIPTED_MODEL, createScriptedProvider, type ReplyScript, type ScriptedStep } from "./scripted-provider.ts";
import { createPreflight } from "./equipped-session.ts";
import type { PiHostOptions } from "./pi-host.ts";
import { failedTurn, runPiTurn } from "./pi-turn.ts";
import type { RehearsalUsage, RehearsedCall } from "../../core/cast/rehearsal-usage.ts";

/** [A9] Runs agents in Pi sessions whose model plays the replies of a file. */
export function createRehearsalHost(
  rehearsal: Rehearsal,
  options: Pick<PiHostOptions, "maxRetries" | "silenceMs" | "after"> = {},
): AgentHost {
  const { after = realTimer, silenceMs, maxRetries = 3 } = options;
  const scripts = new Map<string, ReplyScript>();
  const log = createRehearsalLog(rehearsal);
  const { tools: scripted = {} } = rehearsal;
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
      const setup = { ...(await stage()), model: SCRIPTED_MODEL, after, silenceMs, onOpened, scripted };
      const played = await runPiTurn(setup, log.trackTools(request));
      // [Z8] The file answers for every model of a list.
      const outcome = request.model === undefined ? played : { ...played, model: request.model };
      const missing = script.missing();
      return missing === undefined ? outcome : failedTurn("rehearsal", missing, outcome.usage);
    } catch (cause) {
      return failedTurn("provider", thrownMessage(cause), NO_USAGE);
    } finally {
      if (session !== undefined) scripts.delete(session);
    }
  }

  return {
    ...createPreflight(stage, { after, scripted }),
    resolveModel: async () => `${SCRIPTED_MODEL.provider}/${SCRIPTED_MODEL.id}`,
    runTurn,
    answerGate: (asked) => answerForPerson(rehearsal, asked, log),
    rehearsalUsage: log.played,
  };
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

/** [A10] The replies that one turn uses. */
function scriptFor(rehearsal: Rehearsal, request: TurnRequest, log: RehearsalLog): ReplyScript {
  const { key, replies, replyAt, served } = repliesFor(rehearsal, request);
  const promptTokens = Math.ceil((request.system.length + request.prompt.length) / 4);
  let position = served;
  let steps: readonly ScriptedStep[] = [];
  let missing: string | undefined;

  function next(done: ReadonlySet<string>): ScriptedStep | undefined {
    if (steps.length === 0) {
      const reply = replyAt(position);
      if (reply) {
        const all = scriptedSteps(reply, position, promptTokens);
        steps = all.filter(({ does }) => !(does.kind === "call" && done.has(does.id)));
        log.markTaken(key, position);
      } else missing = missingReplyText(key, replies.length, rehearsal, request);
      // [A23] A retry takes the next reply; the failed one is used up.
      position += 1;
    }
    const [step, ...later] = steps;
    steps = later;
    return step;
  }

  return { next, missing: () => missing };
}

function repliesUnder({ replies }: Rehearsal, key: string): readonly ScriptedReply[] {
  return Object.hasOwn(replies, key) ? (replies[key] ?? []) : [];
}

function repliesFor(rehearsal: Rehearsal, at: PersonGateRequest) {
  const key = rehearsalKeyFor(rehearsal, at);
  const replies = repliesUnder(rehearsal, key);
  const replyAt = (position: number) =>
    replies[position] ?? (rehearsal.onEmpty === "repeat-last" ? replies.at(-1) : undefined);
  return { key, replies, replyAt, served: countServedTurns(key, rehearsal, at.earlierTurns(), at.item) };
}

const PersonAnswer = v.strictObject({ satisfied: v.boolean(), context: v.optional(v.string(), "") });

/** [Q13] The scripted answer of a person. Without one a real person must answer. */
function answerForPerson(
  rehearsal: Rehearsal,
  asked: PersonGateRequest,
  log: RehearsalLog,
): ScriptedAnswer | undefined {
  const { key, replies, replyAt, served: position } = repliesFor(rehearsal, asked);
  const reply = replyAt(position);
  if (!reply) return undefined;
  log.markTaken(key, position);
  const read = v.safeParse(PersonAnswer, reply.json);
  if (read.success) return { kind: "judged", satisfied: read.output.satisfied, text: read.output.context.trim() };
  const message =
    `reply ${Math.min(position + 1, replies.length)} under "${key}" is no answer of a person (${asked.socket}); ` +
    'write { "json": { "satisfied": true } }, or false with a "context" that says why';
  return { kind: "failed", message };
}

/** One call per message: Pi runs the calls of one message at the same time. */
function scriptedSteps(reply: ScriptedReply, position: number, inputTokens: number): readonly ScriptedStep[] {
  const text = reply.text ?? (reply.json === undefined ? "" : JSON.stringify(reply.json));
  const calls = reply.tools.map((call, index): ScriptedStep["does"] => ({
    kind: "call",
    id: `call-${position + 1}-${index + 1}`,
    name: call.name,
    args: call.arguments,
  }));
  const lastStep: ScriptedStep["does"] = reply.error
    ? { kind: "fail", error: reply.error, ...withoutUndefined({ resetMs: reply.resetMs }) }
    : { kind: "say", text };
  const none = { input: 0, output: 0 };
  const guess = reply.error ? none : { input: inputTokens, output: Math.ceil(text.length / 4) };
  // [H25] It ends the turn, so that nothing is said after it.
  const isHandedOver = text === "" && !reply.error && reply.tools.at(-1)?.name === HAND_OVER;
  const steps = isHandedOver ? calls : [...calls, lastStep];
  const guessAt = (index: number) => (index === steps.length - 1 ? guess : none);
  return steps.map((does, index) => ({
    does,
    delayMs: index === 0 ? (reply.delayMs ?? 0) : 0,
    usage: reply.usage ? shareOfUsage(reply.usage, index, steps.length) : guessAt(index),
  }));
}

/** [A13] Splits the usage of a reply evenly over its requests; the last one gets the rest. */
function shareOfUsage({ input, output }: ScriptedStep["usage"], index: number, requests: number) {
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
  const near = nearestName(key, Object.keys(rehearsal.replies));
  const typo = near === undefined ? "" : `; the file has "${near}": is it misspelt?`;
  return `the rehearsal has no reply for ${request.materia} (${request.socket}); add one under "${request.materia}" or "${request.socket}"${typo}`;
}

type RehearsalLog = ReturnType<typeof createRehearsalLog>;

function createRehearsalLog(rehearsal: Rehearsal) {
  const { replies } = rehearsal;
  const taken = new Map<string, number>();
  const calls: RehearsedCall[] = [];
  return {
    // A resumed cast continues after the replies that were used before.
    markTaken: (key: string, position: number) => void taken.set(key, Math.max(taken.get(key) ?? 0, position + 1)),
    trackTools: (request: TurnRequest): TurnRequest => ({
      ...request,
      onProgress: (progress) => {
        const call = progress.kind === "tool_ended" ? playedCall(rehearsal, request, progress) : undefined;
        if (call) calls.push(call);
        request.onProgress(progress);
      },
    }),
    played: (): RehearsalUsage => ({ replies, taken, calls }),
  };
}

/** The id of a call names its reply and its position. After the last reply the last one repeats. */
function playedCall(
  rehearsal: Rehearsal,
  request: TurnRequest,
  { id, name, failed, said }: Extract<TurnProgress, { kind: "tool_ended" }>,
): RehearsedCall | undefined {
  const place = /^call-(\d+)-(\d+)$/.exec(id);
  if (!place) return undefined;
  const key = rehearsalKeyFor(rehearsal, request);
  const own = repliesUnder(rehearsal, key);
  const reply = Math.min(Number(place[1]), own.length) - 1;
  const mayFail = own[reply]?.tools[Number(place[2]) - 1]?.fails === true;
  return { key, socket: request.socket, reply, name, failed, mayFail, said };
}

/** [V37] The further names of a second attempt at an item. */
const ATTEMPT_SUFFIX = /\.\d+$/;

/** [A10] The key of a turn's replies, the first that exists: socket and item, materia and item, socket, materia. */
function rehearsalKeyFor(rehearsal: Rehearsal, at: Pick<TurnRequest, "socket" | "materia" | "item">): string {
  const { socket, materia, item } = at;
  const items = item === null ? [] : [item, ...(ATTEMPT_SUFFIX.test(item) ? [item.replace(ATTEMPT_SUFFIX, "")] : [])];
  const keys = [...items.flatMap((each) => [`${socket}@${each}`, `${materia}@${each}`]), socket];
  return keys.find((key) => Object.hasOwn(rehearsal.replies, key)) ?? materia;
}

/** [A11] Turns that a key has served so far; a specific key does not advance a general one. */
function countServedTurns(
  key: string,
  rehearsal: Rehearsal,
  earlier: readonly SocketTurnCount[],
  item: string | null,
): number {
  // The items that the keys of this file name, and the present one.
  const named = Object.keys(rehearsal.replies).flatMap((each) => ITEM_SUFFIX.exec(each)?.[1] ?? []);
  const items = [...new Set([...named, ...(item === null ? [] : [item])])];
  return earlier.reduce((sum, turns) => sum + countServedToSocket(turns, key, rehearsal, items), 0);
}

function countServedToSocket(
  { socket, materia, turns, turnsFor }: SocketTurnCount,
  key: string,
  rehearsal: Rehearsal,
  items: readonly string[],
): number {
  const particular = items.filter((item) => isItemKey(rehearsalKeyFor(rehearsal, { socket, materia, item })));
  const ofItems = (wanted: (item: string) => boolean): number =>
    particular.filter(wanted).reduce((sum, item) => sum + turnsFor(item), 0);
  if (isItemKey(key)) return ofItems((item) => rehearsalKeyFor(rehearsal, { socket, materia, item }) === key);
  return rehearsalKeyFor(rehearsal, { socket, materia, item: null }) === key ? turns - ofItems(() => true) : 0;
}

const ITEM_SUFFIX = /@(WI-\d+(?:\.\d+)?)$/;

function isItemKey(key: string): boolean {
  return ITEM_SUFFIX.test(key);
}
