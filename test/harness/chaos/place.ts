import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CastEvent } from "../../../src/core/cast/state/event.ts";

const PROGRAM = fileURLToPath(new URL("../../../bin/materia.mjs", import.meta.url));
const FAULTS = new URL("faults.mjs", import.meta.url).href;

/** A separate project with a separate user, and a secret that no file may contain. */
export interface ChaosPlace {
  readonly top: string;
  readonly cwd: string;
  readonly secret: string;
  readonly root: string;
}

/** Every visit says in `work.log` that it ran and in which life, and prints the secret. */
const RUN = [
  'import { appendFileSync } from "node:fs";',
  'const input = JSON.parse(await new Promise((done) => { let text = ""; process.stdin.on("data", (chunk) => (text += chunk)).on("end", () => done(text)); }));',
  "const [what] = process.argv.slice(2);",
  'appendFileSync("work.log", `${process.env.CHAOS_LIFE} ${input.socketId} ${input.itemKey ?? "-"} ${process.pid}\\n`);',
  "await new Promise((done) => setTimeout(done, Number(process.env.CHAOS_SLOW ?? 0)));",
  "const context = `the key is ${process.env.CHAOS_API_KEY}`;",
  'const items = ["a", "b", "c"].map((title) => ({ title, context }));',
  'console.log(JSON.stringify(what === "plan" ? { workItems: items, context } : { satisfied: true, context }));',
].join("\n");

const utility = (what: string, more: object = {}) => ({
  type: "utility",
  command: ["node", "run.mjs", what],
  parse: "json",
  env: ["CHAOS_LIFE", "CHAOS_API_KEY", "CHAOS_SLOW"],
  ...more,
});

const CONFIG = {
  activeLoadout: "Main",
  materia: { Plan: utility("plan", { generator: true }), Work: utility("work"), Check: utility("check") },
  loadouts: {
    Main: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Work", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": {
          materia: "Check",
          advance: { when: "satisfied" },
          edges: [{ when: "always", to: "Socket-2" }],
        },
      },
      loops: { items: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
    },
  },
};

/** What a cast that nothing disturbs visits. */
export const VISITS: readonly string[] = [
  "Socket-1 -",
  ...["WI-1", "WI-2", "WI-3"].flatMap((key) => [`Socket-2 ${key}`, `Socket-3 ${key}`]),
];

export function newChaosPlace(secret: string): ChaosPlace {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "materia-chaos-")));
  const cwd = join(top, "project");
  for (const folder of [cwd, join(top, "home"), join(top, "tmp")]) mkdirSync(folder);
  writeFileSync(join(cwd, "conf.json"), JSON.stringify(CONFIG));
  writeFileSync(join(cwd, "run.mjs"), RUN);
  writeFileSync(join(cwd, "work.log"), "");
  return { top, cwd, secret, root: join(cwd, ".pi", "pi-materia") };
}

export function commandOf(args: readonly string[]): readonly string[] {
  return [PROGRAM, ...args, "--config", "conf.json"];
}

export function envOf({ top, secret }: ChaosPlace, more: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: join(top, "home"),
    TMPDIR: join(top, "tmp"),
    LANG: "C.UTF-8",
    CHAOS_API_KEY: secret,
    NODE_OPTIONS: `--import=${FAULTS}`,
    NODE_COMPILE_CACHE: join(tmpdir(), "materia-compile-cache"),
    ...more,
  };
}

export function castIn({ root }: ChaosPlace): string | undefined {
  try {
    return readdirSync(root).find((name) => /^\d{8}-/.test(name));
  } catch {
    return undefined;
  }
}

export function eventsIn(file: string): readonly CastEvent[] {
  const text = readFileSync(file, "utf8");
  // A last line without its end never counted.
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as CastEvent); // written by the program under test
}

export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
