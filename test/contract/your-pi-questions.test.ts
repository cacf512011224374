import { expect, it } from "vitest";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import type { AskPerson, TurnRequest } from "../../src/shell/ports.ts";
import { ask, conversation, handTimer, piFolder, rehearsal, type HandTimer } from "../harness/agents.ts";
import { newPlace, put } from "../harness/cli.ts";

/** A hook that asks before each file, and a tool that asks with every dialog. */
const asking = (options = "{}", asks = `ctx.ui.confirm("Read " + event.input.path, "Sure?", ${options})`) => `
  export default (pi) => {
    pi.on("tool_call", async (event, ctx) => {
      if (event.toolName !== "read") return undefined;
      return (await ${asks}) ? undefined : { block: true, reason: "refused, with a screen: " + ctx.hasUI };
    });
    pi.registerTool({ name: "pick", label: "Pick", description: "x", parameters: { type: "object", properties: {} },
      execute: async (_id, _args, _signal, _update, { ui, mode }) => {
        const said = [await ui.select("Which?", ["red", "green"]), await ui.input("Name?", "Ada"), await ui.editor("Text?", "old")];
        return { content: [{ type: "text", text: JSON.stringify([mode, ...said]) }], details: {} };
      } });
  };`;

interface Turn extends Partial<TurnRequest> {
  readonly tool?: string;
  readonly timer?: HandTimer;
  readonly silenceMs?: number;
}

/** A turn that calls one tool; the text of its result, and what was reported of dialogs. */
function turn(code: string, { tool = "read", timer, silenceMs, ...part }: Turn) {
  put(piFolder({}), { "extensions/gate.ts": code, "extensions/quiet.ts": "export default () => {};" });
  const tools = [{ name: tool, arguments: tool === "read" ? { path: "note.txt" } : {} }];
  const options = { ...(timer ? { after: timer.after } : {}), ...(silenceMs === undefined ? {} : { silenceMs }) };
  const host = createRehearsalHost(rehearsal({ Build: [{ tools, text: "done" }] }), options);
  const named = { tools: [tool], extensions: ["gate", "quiet"], cwd: newPlace({ "note.txt": "was read" }) };
  const { request, progress, abort } = ask({ ...named, ...part });
  const run = async () => {
    const outcome = await host.runTurn(request);
    const dialogs = progress.flatMap((each) => (each.kind === "extension_asked" ? [each] : []));
    const said = conversation(request.transcript).find((line) => line.startsWith("toolResult"));
    return { outcome: outcome.kind === "failed" ? outcome.reason : outcome.kind, said, dialogs };
  };
  return { run, abort };
}

const answering =
  (...answers: readonly (string | undefined)[]): AskPerson =>
  async () => {
    const [first, ...rest] = answers;
    answers = rest;
    return first;
  };

it.each<[answer: string | undefined, said: string, outcome: string]>([
  ["yes", "was read", "yes"],
  ["no", "refused, with a screen: true", "no"],
  [undefined, "refused, with a screen: true", "dismissed"],
])("[YP19, YP20] a hook asks before a tool runs: %s", async (answer, said, outcome) => {
  const heard: unknown[] = [];
  const askPerson: AskPerson = async (question) => {
    heard.push(question);
    return answer;
  };
  const result = await turn(asking(), { askPerson, item: "WI-2" }).run();
  const text = "Read note.txt\nSure?";
  const place = { castId: "cast-1", socket: "Socket-1", materia: "Build", item: "WI-2" };
  expect(heard).toEqual([{ ...place, extension: "gate", kind: "confirm", text }]);
  expect(result.said).toContain(said);
  const ms = expect.any(Number);
  expect(result.dialogs).toEqual([{ kind: "extension_asked", extension: "gate", question: text, outcome, ms }]);
});

it("[YP19, YP20] a tool of an extension chooses and lets type; only what was offered is chosen", async () => {
  const pick = (...answers: readonly (string | undefined)[]) =>
    turn(asking(), { tool: "pick", askPerson: answering(...answers) }).run();
  const chosen = await pick("green", "a secret", "new");
  expect(chosen.said).toContain(JSON.stringify(["rpc", "green", "a secret", "new"]));
  expect(chosen.dialogs).toMatchObject([
    { outcome: "chosen", choice: "green" },
    { outcome: "typed" },
    { outcome: "typed" },
  ]);
  expect(JSON.stringify(chosen.dialogs)).not.toContain("a secret");
  expect((await pick("blue", undefined, undefined)).said).toContain(JSON.stringify(["rpc", null, null, null]));
});

it("[YP19, YP20] where nobody can be asked a dialog throws: the tool does not run, and the agent learns why", async () => {
  const blocked = await turn(asking(), {}).run();
  expect(blocked.said).toMatch(
    /the extension gate asks "Read note.txt Sure\?", and nobody can be asked here: cast in Pi/,
  );
  expect(blocked.dialogs).toMatchObject([{ outcome: "nobody" }]);
  expect((await turn(asking("{}", "ctx.hasUI && ctx.mode !== 'print'"), {}).run()).said).toContain("screen: false");
});

it("[YP19] the time-out and the signal of an extension close its question", async () => {
  const timer = handTimer();
  const standing = Promise.withResolvers<void>();
  const askPerson: AskPerson = () => {
    standing.resolve();
    return new Promise(() => undefined);
  };
  const late = turn(asking("{ timeout: 7000 }"), { askPerson, timer }).run();
  await standing.promise;
  timer.fire(7000);
  expect(await late).toMatchObject({ said: expect.stringContaining("refused"), dialogs: [{ outcome: "dismissed" }] });
  const closed = await turn(asking("{ signal: AbortSignal.abort() }"), { askPerson }).run();
  expect(closed.dialogs).toMatchObject([{ outcome: "dismissed" }]);
});

it("[YP19] an open question does not count as silence, and ends with its turn", async () => {
  const timer = handTimer();
  const asked = Promise.withResolvers<AbortSignal>();
  const askPerson: AskPerson = (_question, signal) => {
    asked.resolve(signal);
    return new Promise(() => undefined);
  };
  const { run, abort } = turn(asking(), { askPerson, timer, silenceMs: 9000 });
  const running = run();
  const signal = await asked.promise;
  expect([timer.waiting().includes(9000), signal.aborted]).toEqual([false, false]);
  abort();
  expect([await running, signal.aborted]).toMatchObject([{ outcome: "aborted", dialogs: [] }, true]);
});

it("[YP19] an answer to a cast that another process owns by now does nothing", async () => {
  let isOwned = true;
  const askPerson: AskPerson = async () => {
    isOwned = false;
    return "yes";
  };
  const { said, outcome } = await turn(asking(), { askPerson, holdsClaim: async () => isOwned }).run();
  expect([said ?? "", outcome]).toEqual([expect.not.stringContaining("was read"), "taken_over"]);
});
