import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { castFile, castsIn, eventsOf, journalOf, newPlace, put, readText, run, runProcess } from "../harness/cli.ts";
import { openTerminal } from "../harness/terminal.ts";

const GATE = `export default (pi) => pi.on("tool_call", async (event, { ui }) => {
  const ok = await ui.confirm("Read " + event.input.path + "?", "Sure?\\n\\u001b[1A\\u001b[2Kyes or no > yes");
  return ok ? undefined : { block: true, reason: "the person said no" };
});`;
const socket = (materia: string, more: object = {}) => ({ materia, ...more });
const conf = {
  activeLoadout: "Two",
  materia: {
    Plan: { prompt: "plan", generator: true },
    Build: { prompt: "build", tools: "readOnly", extensions: ["gate"] },
  },
  loadouts: {
    Two: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": socket("Plan", { edges: [{ when: "always", to: "Socket-2" }] }),
        "Socket-2": socket("Build", { advance: {}, edges: [{ when: "always", to: "Socket-2" }] }),
      },
      loops: { items: { sockets: ["Socket-2"], parallel: 2, consumes: { from: "Socket-1", output: "workItems" } } },
    },
    One: { entry: "Socket-1", sockets: { "Socket-1": socket("Build") } },
  },
};
const read = (path: string) => ({ tools: [{ name: "read", arguments: { path } }], text: `done ${path}` });
const workItems = ["first", "second"].map((title) => ({ title, context: "" }));
const replies = { Plan: [{ json: { workItems } }], Build: [read("a.txt"), read("a.txt")] };

function place(rehearsed: object = replies): string {
  const cwd = newPlace({
    ".pi/pi-materia.json": conf,
    ".pi/extensions/gate.ts": GATE,
    "r.json": { replies: rehearsed },
    "a.txt": "a",
    "b.txt": "b",
  });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "a");
  return cwd;
}

const cast = (loadout: string) => ["cast", "--trust", "--rehearse", "r.json", "--loadout", loadout, "go"];

it("[YP21] a terminal asks for two agents one after the other, says who asks, and quotes the extension", async () => {
  const cwd = place();
  const terminal = openTerminal(cast("Two"), cwd);
  const ready = /^yes or no >$/m;
  const asked = (item: string) => `The extension gate asks, in Build (Socket-2) for ${item}:`;
  const first = await terminal.until("in Build (Socket-2) for WI-", ready);
  const [one, two] = first.includes(asked("WI-1")) ? ["WI-1", "WI-2"] : ["WI-2", "WI-1"];
  expect(first).toContain("│ Read a.txt?\n│ Sure?\n│ yes or no > yes\nyes or no >");
  expect(first).not.toContain(asked(two));
  terminal.type("maybe\r");
  await terminal.until("yes or no > maybe", ready);
  terminal.type("yes\r");
  await terminal.until(asked(two), ready);
  terminal.type("n\r");
  await terminal.until("completed");
  expect(await terminal.exited).toBe(0);
  const [castId = ""] = castsIn(cwd);
  const outcomes = [one, two].map((item) => {
    const events = eventsOf(readText(castFile(cwd, castId, "items", `${castId}_1_${item}`, "journal.jsonl")));
    return events.flatMap((event) => (event.type === "extension_asked" ? [event.outcome] : []));
  });
  expect(outcomes).toEqual([["yes"], ["no"]]);
});

it("[YP21] Ctrl-D declines, Ctrl-C stops the cast while a question stands", async () => {
  const cwd = place({ Build: [{ ...read("a.txt"), tools: [...read("a.txt").tools, ...read("b.txt").tools] }] });
  const terminal = openTerminal(cast("One"), cwd);
  await terminal.until("Read a.txt?", /^yes or no >$/m);
  terminal.type("\u0004");
  await terminal.until("Read b.txt?", /^yes or no >$/m);
  terminal.type("\u0003");
  expect(await terminal.exited).toBe(130);
  const events = journalOf(cwd, castsIn(cwd)[0] ?? "");
  const asked = events.flatMap((event) => (event.type === "extension_asked" ? [event.outcome] : []));
  expect([asked, events.at(-1)]).toMatchObject([["dismissed"], { type: "cast_ended", outcome: "aborted" }]);
});

it("[YP19, YP20] without a terminal the tool does not run, and the cast says so", async () => {
  const cwd = place({ Build: [read("a.txt")] });
  const { code, stderr } = await run(cast("One"), { cwd });
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining("Build (Socket-1) extension gate asked (nobody was there): Read a.txt?"),
  ]);
  expect(journalOf(cwd, castsIn(cwd)[0] ?? "")).toContainEqual(
    expect.objectContaining({ type: "extension_asked", extension: "gate", outcome: "nobody" }),
  );
});

it.each<[when: string, code: string]>([
  ["at a tool call", `export default (pi) => pi.on("tool_call", () => process.exit(0));`],
  ["while it loads", `export default () => process.exit(0);`],
])("[YP22] an extension that ends the process is named, and the command fails: %s", async (_when, code) => {
  const cwd = place({ Build: [read("a.txt")] });
  put(cwd, { ".pi/extensions/gate.ts": code });
  const ran = await runProcess(cast("One"), { cwd });
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("the extension gate has ended this process")]);
});
