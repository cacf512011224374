import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ask, withoutPlaces } from "../measure/process.ts";

/** A contender besides us, with the exact versions that are measured. */
export interface Peer {
  readonly name: string;
  readonly script: string;
  readonly pins: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a step of it survives a kill because of an engine; the floor has none. */
  readonly isEngine: boolean;
}

const LANGGRAPH = {
  script: "langgraph.mjs",
  isEngine: true,
  pins: {
    "@langchain/core": "1.2.13",
    "@langchain/langgraph": "1.4.18",
    "@langchain/langgraph-checkpoint": "1.1.5",
    "@langchain/langgraph-checkpoint-sqlite": "1.0.4",
    "better-sqlite3": "12.11.1",
    zod: "4.6.7",
  },
} as const;

export const PEERS: readonly Peer[] = [
  { name: "LangGraph.js 1.4.18, SQLite, items in state", ...LANGGRAPH },
  { name: "LangGraph.js 1.4.18, SQLite, only a cursor", ...LANGGRAPH, env: { LANGGRAPH_STATE: "cursor" } },
  { name: "XState 5.33.3, snapshot per step", script: "xstate.mjs", isEngine: true, pins: { xstate: "5.33.3" } },
  {
    name: "Mastra 1.71.0, libSQL",
    script: "mastra.mjs",
    isEngine: true,
    pins: { "@mastra/core": "1.71.0", "@mastra/libsql": "1.23.1", zod: "4.6.7" },
  },
  { name: "floor: one JSONL append per step", script: "floor.mjs", isEngine: false, pins: {} },
];

/** A peer that can be asked, and the Node on which it runs. */
export interface InstalledPeer {
  readonly command: readonly [node: string, script: string];
  readonly env: Readonly<Record<string, string>>;
  readonly nodeVersion: string;
}

/** Installs a peer outside the product, once for each set of pins, and tries it out; or says why it cannot be had. */
export async function install(peer: Peer): Promise<InstalledPeer | string> {
  const hash = createHash("sha256").update(JSON.stringify(peer.pins)).digest("hex").slice(0, 12);
  const folder = join(tmpdir(), "materia-bench-peers", `${peer.script.replace(".mjs", "")}-${hash}`);
  const done = join(folder, "installed");
  try {
    mkdirSync(folder, { recursive: true });
    for (const file of ["peak-memory.mjs", "contender.mjs", peer.script])
      copyFileSync(fileURLToPath(new URL(file, import.meta.url)), join(folder, file));
    if (!existsSync(done)) await installPins(folder, peer.pins);
    writeFileSync(done, "");
  } catch (thrown) {
    return `does not install: ${sentenceOf(thrown)}`;
  }
  return tryOut(folder, peer);
}

async function installPins(folder: string, pins: Peer["pins"]): Promise<void> {
  // npm asks before it runs a package's install script; this one builds a database.
  const allowScripts = { "better-sqlite3": true };
  const manifest = { name: "peer", private: true, type: "module", dependencies: pins, allowScripts };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  if (Object.keys(pins).length === 0) return;
  const ours = Object.entries(process.env).filter(([key]) => !key.startsWith("npm_"));
  await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock"], {
    cwd: folder,
    env: Object.fromEntries(ours),
    timeout: 600_000,
    maxBuffer: 2 ** 26,
  });
}

/** A native module may be built for another Node than ours: the first on the path that runs the workload is taken. */
async function tryOut(folder: string, { script, env = {} }: Peer): Promise<InstalledPeer | string> {
  let why = "there is no Node";
  for (const node of nodes()) {
    try {
      const command = [node, join(folder, script)] as const;
      const { answer } = await ask<{ readonly steps?: number; readonly problem?: string }>(
        [...command, "run", "4", join(folder, "tried", String(Date.now())), "60"],
        { env, capSeconds: 90 },
      );
      if (answer.steps !== 4) throw new Error(answer.problem ?? "it did not run all steps");
      const { stdout } = await promisify(execFile)(node, ["--version"]);
      return { command, env, nodeVersion: stdout.trim() };
    } catch (thrown) {
      why = sentenceOf(thrown);
    }
  }
  return `does not run: ${why}`;
}

function nodes(): readonly string[] {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"));
  return [process.execPath, ...onPath.filter((file) => existsSync(file))];
}

function sentenceOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const line = text.split("\n").find((each) => /npm error|error/i.test(each)) ?? text.split("\n")[0] ?? "";
  return withoutPlaces(line).slice(0, 160);
}
