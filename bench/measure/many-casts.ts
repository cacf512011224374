import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { openUi } from "../../src/apps/server/open-ui.ts";
import { longCast, writeOwnCasts } from "../durability.ts";
import { homeIn } from "../new-cast.ts";
import { median, withScratch } from "./process.ts";
import { published } from "./start-up.ts";

export interface ManyCastsFigures {
  readonly casts: number;
  /** From the start of each process to its end. */
  readonly castsMs: number;
  readonly statusMs: number;
  readonly doctorMs: number;
  /** The list of the page, over loopback, from the start of the server. */
  readonly uiMs: number;
  /** `show` of one cast with so many events. */
  readonly events: number;
  readonly showMs: number;
  readonly showLines: number;
}

/** A person with many own casts, and one very long one. */
export function measureManyCasts(casts: number, events: number, rounds = 3): Promise<ManyCastsFigures> {
  return withScratch(async (scratch) => {
    const program = join(await published(), "bin", "materia.mjs");
    const root = join(scratch, ".pi", "pi-materia");
    await writeOwnCasts(scratch, root, casts);
    const env = { ...process.env, ...homeIn(scratch) };
    const run = (...args: readonly string[]) => {
      const started = performance.now();
      const call = { encoding: "utf8", env, maxBuffer: 2 ** 30 } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args, "--cwd", scratch], call);
      // `doctor` exits with 1 when it has something to say.
      if (status === null || status > 1) throw new Error(stderr);
      return { ms: performance.now() - started, stdout };
    };
    // The first one fills the compile cache.
    const time = (name: string) => median(Array.from({ length: rounds + 1 }, () => run(name).ms).slice(1));
    const [castsMs, statusMs, doctorMs] = [time("casts"), time("status"), time("doctor")];
    const uiMs = await timeUi(scratch);
    const long = join(scratch, "long");
    const { castId, seq } = await longCast(long, scratch, events);
    const show = run("show", castId, "--artifacts", long);
    return {
      casts,
      castsMs,
      statusMs,
      doctorMs,
      uiMs,
      events: seq,
      showMs: show.ms,
      showLines: show.stdout.split("\n").length,
    };
  });
}

async function timeUi(scratch: string): Promise<number> {
  const started = performance.now();
  const opened = await openUi({
    place: { cwd: scratch, env: homeIn(scratch) },
    openReal: () => Promise.reject(new Error("nobody is asked")),
    report: (problem) => console.error(problem),
  });
  if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
  const { origin, searchParams } = new URL(opened.value.url);
  try {
    const headers = { authorization: `Bearer ${searchParams.get("token")}` };
    await (await fetch(`${origin}/api/casts`, { headers })).json();
    return performance.now() - started;
  } finally {
    await opened.value.close();
  }
}
