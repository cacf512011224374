import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { longCast } from "../durability.ts";
import { homeIn } from "../new-cast.ts";
import { median, withScratch } from "./process.ts";
import { CPU, published } from "./start-up.ts";

/** What other tools wait for. */
export interface OutsideFigures {
  /** Of `materia mcp`, from its start to its list of tools. */
  readonly mcpMs: number;
  /** Until it has left; all processor time, Node included. */
  readonly mcpCpuMs: number;
  /** Of `export --json` of a cast with so many events. */
  readonly events: number;
  readonly exportMs: number;
  readonly exportCpuMs: number;
}

export function measureOutside(events: number, rounds: number): Promise<OutsideFigures> {
  return withScratch(async (scratch) => {
    const program = join(await published(), "bin", "materia.mjs");
    const place: Place = { program, cwd: scratch, env: { ...process.env, ...homeIn(scratch) } };
    const cast = await longCast(join(scratch, ".pi", "pi-materia"), scratch, events);
    const [servers, exports]: [Spent[], Spent[]] = [[], []];
    for (let round = -1; round < rounds; round += 1) {
      const spent = [await startServer(place), exportCast(place, cast.castId)] as const;
      // The first run fills the compile cache.
      if (round < 0) continue;
      servers.push(spent[0]);
      exports.push(spent[1]);
    }
    const middle = (all: readonly Spent[], figure: keyof Spent) => median(all.map((each) => each[figure]));
    return {
      mcpMs: middle(servers, "ms"),
      mcpCpuMs: middle(servers, "cpuMs"),
      events: cast.seq,
      exportMs: middle(exports, "ms"),
      exportCpuMs: middle(exports, "cpuMs"),
    };
  });
}

interface Place {
  readonly program: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

interface Spent {
  readonly ms: number;
  readonly cpuMs: number;
}

const LIST_TOOLS = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

async function startServer({ program, cwd, env }: Place): Promise<Spent> {
  const started = performance.now();
  const server = spawn(process.execPath, ["--import", CPU, program, "mcp"], { cwd, env, stdio: "pipe" });
  let errors = "";
  server.stderr.on("data", (part: Buffer) => (errors += part.toString("utf8")));
  server.stdin.write(`${JSON.stringify(LIST_TOOLS)}\n`);
  const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
  const ms = performance.now() - started;
  if (!line.includes('"loadouts"')) throw new Error(line.slice(0, 200));
  server.stdin.end();
  await once(server, "close");
  return { ms, cpuMs: cpuMsIn(errors) };
}

function exportCast({ program, cwd, env }: Place, castId: string): Spent {
  const started = performance.now();
  const args = ["--import", CPU, program, "export", castId, "--json"];
  const call = { cwd, env, encoding: "utf8", maxBuffer: 2 ** 30 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, call);
  if (status !== 0 || !stdout.includes("resourceSpans")) throw new Error(stderr);
  return { ms: performance.now() - started, cpuMs: cpuMsIn(stderr) };
}

const cpuMsIn = (errors: string): number => Number(/^cpu (\d+)$/m.exec(errors)?.[1]) / 1000;
