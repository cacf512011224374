import { expect, it } from "vitest";
import { castOf, ended, hear, refusal, site, type Message } from "./harness.ts";

const isOver = ({ event }: Message): boolean => event === "over";

it("[N36, N43] finds words of outputs, prompts and tool calls, newest cast first, with the words around them", async () => {
  const at = site();
  const tools = [{ name: "write", arguments: { path: "a.txt", content: "the Marmalade jar" } }];
  const first = await castOf(at, { Build: [{ tools, text: "One spoon of marmalade is enough." }] });
  await ended(at, first);
  const second = await castOf(at, { Build: [{ text: "No jam here." }] });
  await ended(at, second);
  const heard = await hear(await at.ask("/api/search?q=MARMALADE")).until(isOver);
  expect(heard.map(({ event, data }) => [event, (data as { in?: string }).in])).toEqual([
    ["found", "output"],
    ["found", "tools"],
    ["over", undefined],
  ]);
  expect(heard[0]?.data).toMatchObject({
    castId: first,
    request: "do it",
    socket: "Socket-1",
    visit: 1,
    materia: "Build",
    before: "One spoon of ",
    match: "marmalade",
    after: " is enough.",
  });
  expect(heard.at(-1)?.data).toEqual({ casts: 2, isCut: false });
  const one = await hear(await at.ask(`/api/casts/${second}/search?q=marmalade`)).until(isOver);
  expect(one.map(({ data }) => data)).toEqual([{ casts: 1, isCut: false }]);
});

it("[N36] refuses what is no search", async () => {
  const at = site();
  expect(await refusal(at.ask("/api/search?q=a"))).toBe("400 bad_request");
  expect(await refusal(at.ask("/api/casts/20200101-000000-aaaaa/search?q=abc"))).toMatch(/^404/);
});
