import type { Theme } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { expect, it } from "vitest";
import { drawCard } from "../../src/apps/pi/screen/card.ts";
import { setPiTui } from "../../src/apps/pi/session/user-session.ts";
import { openPiSession } from "../harness/pi-session.ts";

const LIMIT = '429: {"message":"usage limit reached, resets in 15 min","type":"rate_limit"}';
const SHORT_LIMIT = '429: {"message":"slow down, try again in 90 seconds","type":"rate_limit"}';

it("[X9] a wait that the provider asks for has its time and its reason in the widget", async () => {
  const pi = await openPiSession({ replies: [{ error: SHORT_LIMIT }] });
  await pi.type("/materia link Build -- a hut");
  const widget = await pi.sees(/^widget: [^]*↻/);
  expect(widget).toMatch(/↻ retry 1 in \d+ s: 429: slow down/);
  await pi.type("/materia abort");
  await pi.sees(/^materia-result/);
});

it("[X59] why a cast sleeps or pauses is the message of the provider, without JSON", async () => {
  const pi = await openPiSession({ replies: [{ error: LIMIT }] });
  await pi.type("/materia link Build -- a hut");
  expect(await pi.sees(/^info: The cast is paused|^materia-result/)).not.toContain("{");
  expect(pi.shown().join("\n")).not.toContain('"message"');
});

it("[Z11] another model that Pi does not know is asked for again, and the cast sleeps on", async () => {
  const names = ["scripted/nosuch", "scripted/second"];
  const asked: string[] = [];
  const pi = await openPiSession({
    mode: "tui",
    replies: [{ error: LIMIT }, "built"],
    select: () => "Use another model",
    input: (title) => {
      asked.push(title);
      return names.shift();
    },
  });
  await pi.type("/materia link Build --wait 1h -- a hut");
  await pi.sees(/^status: ☾/);
  pi.press("\u001b");
  await pi.sees(/^materia-result: [^]*completed/);
  // It went on at once: nothing to do about the first limit.
  expect(pi.shown().filter((text) => text.startsWith("materia-result"))).toHaveLength(1);
  expect(asked).toEqual([
    "Which model? (provider/id)\nEsc: back",
    'Pi knows no model "scripted/nosuch". Which model? (provider/id)\nEsc: back',
  ]);
  expect(pi.requests.at(-1)?.model).toBe("second");
});

it("[X63] help of detach is there, and an answer is wrapped, not cut", async () => {
  const pi = await openPiSession({ mode: "tui", replies: ["built"] });
  await pi.type("/materia help detach");
  expect(await pi.sees(/^materia-answer/)).toContain("continue the cast of this session in the background");
  await pi.type("/materia help");
  await pi.sees(/^materia-answer/);
  const answers = pi.session.sessionManager.getBranch().filter((entry) => entry.type === "custom");
  expect(answers.map(({ data }) => data)).toMatchObject([{ wraps: true }, { wraps: true }]);
});

it("[X10] a closed card has whole words, in more rows where the terminal is narrow", async () => {
  setPiTui(tui);
  const verdict = { satisfied: true, context: "all walls stand and the roof keeps the rain of a whole summer out" };
  const pi = await openPiSession({ replies: [JSON.stringify(verdict)] });
  await pi.type("/materia link Auto-Eval -- a hut with a door");
  const card = await pi.sees(/^materia-visit/);
  expect(card).toMatch(/ tokens · \$0\.00 · first/);
  expect(card).toMatch(/✓ satisfied “all walls stand/);
  const data = pi.session.sessionManager
    .getBranch()
    .flatMap((entry) => (entry.type === "custom" && entry.customType === "materia-visit" ? [entry.data] : []));
  const words = new Set(JSON.stringify(data).match(/[a-z]+/g));
  for (const width of [40, 60, 100]) {
    const rows = drawCard(data[0], false, PLAIN_THEME).render(width);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(width);
    expect(
      rows
        .join("\n")
        .match(/[a-z]+/g)
        ?.filter((word) => !words.has(word)),
    ).toEqual([]);
  }
});

const PLAIN_THEME = { fg: (_: string, text: string) => text, bold: (text: string) => text } as unknown as Theme; // no more of it is used
