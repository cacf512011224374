import { describe, expect, it } from "vitest";
import { castsIn, journalOf } from "../harness/cli.ts";
import { newPiPlace } from "../harness/pi-place.ts";
import { runPi } from "../harness/pi-print.ts";
import { startPi, type PiRecord } from "../harness/pi-rpc.ts";
import { editorText, notice, result, widget } from "../harness/pi-seen.ts";
import { KEYS, openPiTuiAt } from "../harness/pi-tui.ts";

/** What an entry says of a cast. */
function castNews(record: PiRecord): string | undefined {
  if (record.type !== "entry_appended" || record.entry.customType !== "materia-cast") return undefined;
  const { castId, status } = record.entry.data as { readonly castId: string; readonly status: string }; // written by the extension under test
  return `${status} ${castId}`;
}

describe("a client of the RPC mode", () => {
  it("[X36, X49, X51] sees that a cast runs, takes words back, aborts it as it aborts Pi, and types a hint as it stands", async () => {
    const place = await newPiPlace({}, { hang: "after text" });
    const pi = startPi(place);
    await pi.type("/materia link Build -- never to end");
    expect(await pi.until("the news", castNews)).toMatch(/^running \d{8}-/);
    await pi.until("the first words", widget(/» thinking aloud/));
    await pi.type("with a door");
    await pi.until("the queue", widget(/⧗ not read yet: with a door {2}clear_queue takes it back/));
    await pi.ask({ type: "clear_queue" });
    expect(await pi.until("the editor", editorText)).toBe("with a door");
    await pi.ask({ type: "abort" });
    expect(await pi.until("its end", result)).toContain("A materia cast aborted");
    await pi.until("more news", (record) => castNews(record)?.startsWith("aborted") || undefined);
    const [castId = ""] = castsIn(place.cwd);
    expect(journalOf(place.cwd, castId).at(-1)).toMatchObject({ type: "cast_ended", outcome: "aborted" });
    await pi.type("/materia diff a b c");
    expect(await pi.until("a refusal", notice(/too_many_words/))).toContain("usage: /materia diff [castId]");
    await pi.close();
  });
});

it("[X3] in json mode events and what agents do are data", async () => {
  const place = await newPiPlace({}, { call: { name: "ls", arguments: { path: "." } } }, { text: "made" });
  const { stdout } = await runPi(place, "--mode", "json", "/materia link Build -- make it");
  const data = stdout
    .trim()
    .split("\n")
    .map((each) => JSON.parse(each) as { readonly type: string; readonly data?: Heard }) // written by the program under test
    .flatMap(({ type, data: heard }) => (type === "materia" && heard ? [heard] : []));
  const events = data.flatMap(({ event }) => (event ? [event.type] : []));
  expect(events).toEqual(expect.arrayContaining(["visit_started", "visit_completed", "cast_ended"]));
  expect(data.flatMap(({ progress }) => (progress ? [progress.kind] : []))).toEqual(
    expect.arrayContaining(["tool_started", "tool_ended", "text", "used"]),
  );
  expect(data.flatMap(({ cast }) => (cast ? [[cast.status, cast.totals?.visits]] : []))).toEqual([
    ["running", undefined],
    ["completed", 1],
  ]);
});

interface Heard {
  readonly event?: { readonly type: string };
  readonly progress?: { readonly kind: string };
  readonly cast?: { readonly status: string; readonly totals?: { readonly visits: number } };
}

it("[X39] the opened widget never makes Pi clear what has scrolled away", async () => {
  const held = Promise.withResolvers<void>();
  const calls = Array.from({ length: 10 }, (_, at) => ({
    call: { name: "bash", arguments: { command: `echo call ${at}` } },
  }));
  const place = await newPiPlace({}, { text: "Hello." }, ...calls, {
    text: "The hut stands. ".repeat(40),
    until: held.promise,
  });
  const pi = await openPiTuiAt({ columns: 60, rows: 20 }, place);
  await pi.send("hello");
  await pi.sees(/Hello\./);
  pi.type(KEYS.ctrlO);
  await pi.send("/materia link Build -- a hut");
  await pi.sees(/running/);
  const before = pi.raw().length;
  await pi.sees(/» .*The hut stands/);
  held.resolve();
  await pi.sees(/the story/);
  expect(pi.raw().slice(before)).not.toContain("\u001b[3J");
  pi.type(KEYS.ctrlD);
  expect(await pi.exited).toBe(0);
});
