import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, expect, it } from "vitest";
import { main } from "../../src/apps/cli/main.ts";
import type { Io } from "../../src/apps/cli/terminal/io.ts";
import { COMMANDS } from "../../src/core/command/command-table.ts";
import { columnsOf } from "../../src/core/view/line.ts";
import { envOf, newPlace } from "../harness/cli.ts";
import { judgedItems } from "../harness/judged-items.ts";

const HINDI = "हिन्दी में लिखा हुआ एक छोटा सा अनुरोध जो एक पंक्ति से लंबा है";
const THAI = "ภาษาไทยไม่มีช่องว่างระหว่างคำและประโยคนี้ยาวกว่าหนึ่งบรรทัดของหน้าจอแคบๆ";
const MIXED = "שלום עולם 漢字かな交じり文 👩‍👩‍👧‍👦 and some plain words behind them, until the line is full";

const conf = judgedItems({
  materia: {
    Plan: { prompt: "Plan.", generator: true, description: HINDI },
    Build: { prompt: `Build. ${MIXED}`, tools: "coding", description: THAI },
  },
  main: { description: MIXED },
  loadouts: { Broken: { entry: "Socket-9", sockets: { "Socket-1": { materia: "Nobody" } } } },
});
const no = { json: { satisfied: false, context: `${HINDI}\n${MIXED}` } };
const replies = {
  Plan: [
    {
      json: {
        workItems: [
          { title: HINDI, context: "" },
          { title: MIXED, context: "" },
        ],
      },
    },
  ],
  Build: [{ tools: [{ name: "read", arguments: { path: "none" } }], text: `${THAI}\n${MIXED}` }],
  Judge: [{ json: { satisfied: true } }, no],
};

let cwd = "";
/** One after another: a reader of both standard output and error sees them in this order. */
async function typed(columns: number, argv: readonly string[]): Promise<string> {
  let text = "";
  const io: Io = {
    out: (more) => {
      text += typeof more === "string" ? more : Buffer.from(more).toString("utf8");
    },
    err: (more) => {
      text += more;
    },
    stdin: Readable.from([]),
    live: false,
    canAsk: false,
    isTerminal: true,
    columns: () => columns,
    color: false,
    env: envOf(cwd),
    cwd,
    program: "materia",
  };
  await main(argv, io, () => Promise.reject(new Error("there is no page here")));
  return text;
}

beforeAll(async () => {
  cwd = newPlace({ "c.json": conf, "r.json": { replies, onEmpty: "repeat-last" } });
  mkdirSync(join(cwd, "sub"));
  const cast = ["cast", "--config", "c.json", "--rehearse", "r.json", "--quiet", `${HINDI} ${MIXED}`];
  await typed(400, cast);
  await typed(400, cast);
});

const named = ["--config", "c.json"];
/** What each command prints: told, refused, with and without something to tell. */
const TYPED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  cast: [["cast"], ["cast", "--modl", "x", "y"], ["cast", "--loadout", "Mian", "x", ...named]],
  link: [["link"], ["link", "Nobody", "--", "x"]],
  casts: [["casts"], ["casts", "prune"], ["casts", "prune", "--keep", "1"]],
  status: [["status"], ["status", "2026"], ["status", "nobody"]],
  show: [["show"], ["show", "--full"], ["show", "Socket-2#1"], ["show", "last", "Socket-9"]],
  diff: [["diff"]],
  export: [["export"], ["export", "last"]],
  restore: [["restore"], ["restore", "last"]],
  watch: [["watch", "nobody"]],
  doctor: [["doctor"], ["doctor", "last"]],
  open: [["open", "nobody"]],
  continue: [["continue"], ["continue", "20260101", "x"]],
  recast: [
    ["recast", "nobody"],
    ["recast", "--alow", "1"],
  ],
  abort: [["abort"]],
  loadout: [
    ["loadout", ...named],
    ["loadout", "Mian"],
  ],
  materia: [
    ["materia", ...named],
    ["materia", "Build", ...named],
    ["materia", "Biuld"],
  ],
  grid: [
    ["grid", "Main", ...named],
    ["grid", "Nobody"],
  ],
  check: [["check", ...named]],
  draft: [["draft"], ["draft", "Nobody.json", "x", "--modl", "x"]],
  test: [["test"], ["test", "c.json"]],
  replay: [
    ["replay", ...named],
    ["replay", "--all", ...named],
    ["replay", "--all", "last"],
  ],
  fuzz: [["fuzz", "Main", "--casts", "20", ...named]],
  record: [["record", "last", "c.json"]],
  stats: [["stats"]],
  compare: [["compare"], ["compare", "last", "last"]],
  forecast: [["forecast", "Main", ...named], ["forecast"]],
  fork: [
    ["fork", "last@Socket-1", "--plan", ...named],
    ["fork", "last@Socket-9", ...named],
  ],
  budget: [["budget"], ["budget", "last", "many"]],
  ui: [["ui", "--port", "x"]],
  init: [["init", "--from", "nothing.json"]],
  completion: [["completion", "bahs"]],
  demo: [["demo", "x"]],
  worker: [["worker"], ["worker", "--on", "nobody"]],
  fleet: [["fleet"], ["fleet", "workers", "--on", "nobody"], ["fleet", "migrate"]],
  mcp: [["mcp", "--budget", "x"]],
  take: [["take"], ["take", "last", "--on", "nobody"]],
  inbox: [["inbox"], ["inbox", "done", "nothing"]],
  queue: [["queue"], ["queue", "add", HINDI, ...named], ["queue"], ["queue", "remove", "9"], ["queue", "ad"]],
  help: [["help"], ["help", "cats"]],
};

it("[C37] every command of the table is looked at", () => {
  expect(Object.keys(TYPED).toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
});

it.each([60, 40])(
  "[C37] at %i columns no word is broken that fits a line, and no line is too long",
  async (columns) => {
    const faults: string[] = [];
    const all = Object.entries(TYPED).flatMap(([name, each]) => [...each, ["help", name]]);
    for (const argv of all) {
      const whole = wordsOf(await typed(1_000, argv));
      const text = await typed(columns, argv);
      const said = (what: string) => faults.push(`${argv.join(" ")}: ${what}`);
      const long = [...whole].filter((word) => columnsOf(word) > columns - ROOM);
      const isLong = (part: string) => long.some((word) => word.includes(part) || part.includes(word));
      for (const line of text.split("\n")) if (columnsOf(line) > columns && !isLong(line)) said(`too long: ${line}`);
      for (const word of wordsOf(text))
        if (ASCII.test(word) && !whole.has(word) && !OTHERS.test(word) && !isLong(word)) said(`broken: ${word}`);
    }
    expect(faults).toEqual([]);
  },
);

const ASCII = /^[\x21-\x7e]+$/;
/** Figures of time are others each time, and how much was cut away is said. */
const OTHERS = /^\d+([.:]\d+)*$|^(characters|in|all|more)$/;
/** What a line begins with. */
const ROOM = 14;

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

it("[C37] a narrow list of casts has a request that can be read", async () => {
  const text = await typed(60, ["casts"]);
  expect(text.split("\n")[1]).toMatch(/^ {2}.* · 1 of 2 · Main · \[rehearsed\] हिन्दी में/);
});
