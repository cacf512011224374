import { expect, it } from "vitest";
import { parseArgv, parseText } from "../../src/core/command/parse.ts";
import { parseCron, isTimeZone, nextCronTime } from "../../src/shell/fleet/schedules.ts";

function next(cron: string, after: string, zone = "UTC"): string | undefined {
  const read = parseCron(cron);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  const time = nextCronTime(read.value, Date.parse(after), zone);
  return time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);
}

it.each([
  ["every minute", "* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01"],
  ["not the minute itself", "0 3 * * *", "2026-01-01T03:00:00Z", "2026-01-02T03:00"],
  ["seconds before it", "0 3 * * *", "2026-01-01T02:59:59Z", "2026-01-01T03:00"],
  ["steps", "*/15 * * * *", "2026-01-01T00:31:00Z", "2026-01-01T00:45"],
  ["a step behind one value", "10/25 * * * *", "2026-01-01T00:11:00Z", "2026-01-01T00:35"],
  ["lists, ranges and names", "0 9,17 * jan-mar mon-fri", "2026-01-02T17:00:00Z", "2026-01-05T09:00"],
  ["a week may end with Sunday", "0 0 * * sat-sun", "2026-01-03T00:00:00Z", "2026-01-04T00:00"],
  ["Sunday is 0 and 7", "0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00"],
  ["either of two kinds of days", "0 0 13 * fri", "2026-01-09T00:00:00Z", "2026-01-13T00:00"],
  ["both where one is a star", "0 0 */2 * fri", "2026-01-01T00:00:00Z", "2026-01-09T00:00"],
  ["a leap day", "0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00"],
])("[B23] the next time: %s", (_what, cron, after, at) => {
  expect(next(cron, after)).toBe(at);
});

it("[B45] a day that no month has is refused", () => {
  expect(next("0 0 30 2 *", "2026-01-01T00:00:00Z")).toBeUndefined();
});

it.each([
  ["by the clocks of a zone", "0 3 * * *", "2026-07-01T12:00:00Z", "Asia/Kolkata", "2026-07-01T21:30"],
  [
    "that they skip comes right after the gap",
    "30 2 * * *",
    "2026-03-28T12:00:00Z",
    "Europe/Berlin",
    "2026-03-29T01:00",
  ],
  ["after a skipped one comes a day later", "30 2 * * *", "2026-03-29T01:00:00Z", "Europe/Berlin", "2026-03-30T00:30"],
  ["that they show twice comes first", "30 2 * * *", "2026-10-25T00:29:00Z", "Europe/Berlin", "2026-10-25T00:30"],
  ["that they show twice comes once", "30 2 * * *", "2026-10-25T00:30:00Z", "Europe/Berlin", "2026-10-26T01:30"],
  [
    "every half hour goes on while they show it twice",
    "*/30 * * * *",
    "2026-10-25T00:30:00Z",
    "Europe/Berlin",
    "2026-10-25T01:00",
  ],
  ["on the day of the change", "0 12 * * *", "2026-03-29T00:00:00Z", "Europe/Berlin", "2026-03-29T10:00"],
])("[B23] a time %s", (_what, cron, after, zone, at) => {
  expect(next(cron, after, zone)).toBe(at);
});

it.each([
  "",
  "* * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 8",
  "5-1 * * * *",
  "*/0 * * * *",
  "0 0 3 * * *",
  "@daily",
  "0 0 L * *",
  "0 0 15W * *",
  "0 0 * * fri#2",
  "0 0 1 * +fri",
  "? * * * *",
  "/5 * * * *",
  "005 * * * *",
  "0 0 * january *",
])("[B45] %j is no time", (cron) => {
  expect(parseCron(cron)).toMatchObject({ ok: false, issues: [{ code: "bad_schedule" }] });
});

it("[B45] all unreadable fields are reported at once", () => {
  const read = parseCron("a 25 * foo 1-2-3");
  expect(read.ok ? [] : read.issues.map(({ message }) => message.split(":")[0])).toEqual([
    '"a" is no minute',
    '"25" is no hour',
    '"foo" is no month',
    '"1-2-3" is no day of the week',
  ]);
});

it("[B23] time zones are named", () => {
  expect([isTimeZone("Europe/Berlin"), isTimeZone("Europa/Berlin")]).toEqual([true, false]);
});

it.each([
  [["add"], "missing_word"],
  [["add", "0 3 * * *"], "missing_word"],
  [["add", "0 3 * * *", "--"], "only cast or link"],
  [["add", "0", "3", "*", "--", "cast", "x"], "in quotes"],
  [["add", "0 3 * * *", "--", "status"], "only cast or link"],
  [["add", "0 3 * * *", "--", "cast", "--detach", "x"], "--detach has no effect in a schedule"],
  [["add", "0 3 * * *", "--", "link", "Build"], "missing_delimiter"],
  [["remove", "first"], "bad_number"],
  [["lst"], "did you mean"],
  [["list", "all"], "too_many_words"],
])("[B45] fleet schedule %j is refused", (words, code) => {
  expect(JSON.stringify(parseArgv(["fleet", "schedule", "--on", "f", ...words]))).toContain(code);
});

it.each([
  ["words", parseArgv(["fleet", "schedule", "add", "0 3 * * *", "--on", "f", "--", "link", "A", "B", "--", "do it"])],
  ["one word", parseArgv(["fleet", "schedule", "add", "0 3 * * *", "--on", "f", "--", "link A B -- do it"])],
  ["one text", parseText(`fleet schedule add "0 3 * * *" --on f -- link A B -- do it`)],
])("[B23] a link keeps its own -- inside a schedule, in %s", (_how, parsed) => {
  expect(parsed.ok && parsed.value.command).toMatchObject({
    what: {
      kind: "add",
      cron: "0 3 * * *",
      tree: "of the branch",
      submits: { command: { kind: "link", prompt: "do it" } },
    },
  });
});
