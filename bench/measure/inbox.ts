import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { markSeen, noteCast } from "../../src/shell/config/cast-index.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { writeOwnCasts } from "../durability.ts";
import { homeIn } from "../new-cast.ts";
import { median, withScratch } from "./process.ts";
import { published } from "./start-up.ts";

const CPU = new URL("../cpu.mjs", import.meta.url).href;

export interface InboxFigures {
  readonly projects: number;
  readonly casts: number;
  /** Not looked at yet; every second one was interrupted and is listed. */
  readonly unseen: number;
  readonly medianMs: number;
  readonly cpuMs: number;
}

/** `inbox --json` over the casts of so many projects in a separate process. Nobody has looked at the newest ones. */
export function measureInbox(projects: number, casts: number, unseen: number, rounds = 5): Promise<InboxFigures> {
  return withScratch(async (scratch) => {
    const program = join(await published(), "bin", "materia.mjs");
    const env = { ...process.env, ...homeIn(scratch) };
    const each = casts / projects;
    for (let project = 0; project < projects; project += 1) {
      const cwd = join(scratch, `project-${project}`);
      const root = join(cwd, ".pi", "pi-materia");
      await writeOwnCasts(scratch, root, each, project * each);
      const ids = await fileStore(root).listIds();
      const own = (ids.ok ? ids.value : []).map((castId) => ({ castId, root }));
      for (const { castId } of own) noteCast(env, castId, { cwd, root });
      markSeen(env, own.slice(unseen / projects));
    }
    const [times, cpu]: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round += 1) {
      const words = ["--import", CPU, program, "inbox", "--json", "--cwd", scratch];
      const started = performance.now();
      const call = { encoding: "utf8", env, maxBuffer: 2 ** 30 } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, words, call);
      if (status !== 0) throw new Error(stderr);
      // The first one fills the compile cache.
      if (round > 0) times.push(performance.now() - started);
      if (round > 0) cpu.push(Number(/^cpu (\d+)$/m.exec(stderr)?.[1]) / 1000);
      if ((JSON.parse(stdout) as readonly unknown[]).length !== unseen / 2)
        throw new Error("not every cast was listed");
    }
    return { projects, casts, unseen, medianMs: median(times), cpuMs: median(cpu) };
  });
}
