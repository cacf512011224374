import { expect, it } from "vitest";
import type { OpenQuestion } from "../../src/core/wire/stream.ts";
import { piFolder } from "../harness/agents.ts";
import { hear, isEvent, json, project, site, type Message, type Site } from "./harness.ts";

const GATE = `export default (pi) => pi.on("tool_call", async (event, { ui }) =>
  (await ui.confirm("Read?", event.input.path)) ? undefined : { block: true, reason: "no" });`;
const read = (path: string) => ({ name: "read", arguments: { path } });

function asking(): Site {
  piFolder({});
  const own = project();
  const materia = { Reader: { prompt: "read", tools: "readOnly", extensions: ["gate"] } };
  const loadouts = { Read: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Reader" } } } };
  own.write(".pi/pi-materia.json", { materia, loadouts });
  own.write(".pi/extensions/gate.ts", GATE);
  own.write("a.txt", "a");
  own.write("b.txt", "b");
  return site(own);
}

async function begin(at: Site, ...tools: readonly object[]): Promise<string> {
  const replies = { Reader: [{ tools, text: "done" }] };
  const begun = await json(at.send("/api/rehearse", { loadout: "Read", prompt: "go", replies, trust: true }));
  return (begun as { castId: string }).castId;
}

const questionsIn = ({ event, data }: Message | undefined = { event: "", data: {} }): readonly OpenQuestion[] =>
  event === "questions" ? (data as { questions: readonly OpenQuestion[] }).questions : [];
const holdsQuestion = (message: Message): boolean => questionsIn(message).length > 0;
const noQuestion = (message: Message): boolean => message.event === "questions" && !holdsQuestion(message);

it("[YP21, N11] the stream of a cast has its open questions, and the first answer of any page counts", async () => {
  const at = asking();
  const castId = await begin(at, read("a.txt"), read("b.txt"));
  const stream = hear(await at.ask(`/api/casts/${castId}/events`));
  const [first] = questionsIn((await stream.until(holdsQuestion)).at(-1));
  const place = { castId, socket: "Socket-1", materia: "Reader", item: null, extension: "gate" };
  expect(first).toEqual({ id: expect.any(String), ...place, kind: "confirm", text: "Read?\na.txt" });
  expect(at.problems).toEqual([expect.stringContaining("the extension gate asks")]);
  // A page that opens later gets it too.
  const late = hear(await at.ask(`/api/casts/${castId}/events?after=1`));
  expect(questionsIn((await late.until(holdsQuestion)).at(-1))).toEqual([first]);
  await late.close();
  const answer = async (id = "", body: unknown = { answer: "yes" }) =>
    (await at.send(`/api/questions/${id}`, body)).status;
  expect([await answer(first?.id, {}), await answer("other")]).toEqual([400, 404]);
  expect([await answer(first?.id), await answer(first?.id)]).toEqual([200, 404]);
  const [second] = questionsIn(
    (await stream.until((message) => questionsIn(message)[0]?.text === "Read?\nb.txt")).at(-1),
  );
  expect(await answer(second?.id, { answer: null })).toBe(200);
  const heard = await stream.until(isEvent("cast_ended"));
  await stream.close();
  const asked = heard.flatMap(({ data }) => (isEvent("extension_asked")({ event: "", data }) ? [data] : []));
  expect(asked.at(-1)).toMatchObject({ outcome: "dismissed", extension: "gate" });
});

it("[YP21] a question ends with its cast", async () => {
  const at = asking();
  const castId = await begin(at, read("a.txt"));
  const stream = hear(await at.ask(`/api/casts/${castId}/events`));
  await stream.until(holdsQuestion);
  await at.runs.stop();
  expect((await stream.until(noQuestion)).length).toBeGreaterThan(0);
  await stream.close();
});
