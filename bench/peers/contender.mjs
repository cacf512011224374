import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { peakKilobytes } from "./peak-memory.mjs";

/** How every contender is asked: `node NAME.mjs run|half|resume|import|compile NUMBER FOLDER [SECONDS]`. */
const [mode = "", count = "0", folder = "", seconds = "0"] = process.argv.slice(2);
const number = Number(count);
const deadline = performance.now() + Number(seconds) * 1000;

export const ITEMS = Array.from({ length: Math.round((number - 1) / 3) }, (_, index) => ({
  title: `Item ${index + 1}`,
  context: `What to do for item ${index + 1}.`,
}));

/**
 * A contender gives `load` (its import), `compile` (a chain of so many places) and `open`, which answers with `start`
 * and `resume`. Both run the workload, ask `step(name, cursor)` for every step and keep what they must in the folder.
 */
export async function contend({ load, compile, open }) {
  if (mode === "import") return say({ ms: await timed(load) });
  const library = await load();
  if (mode === "compile") return say({ ms: await timed(() => compile(library, number)) });
  mkdirSync(folder, { recursive: true });
  const log = join(folder, "..", "steps.log");
  const asked = { run: running(), half: halfWay(log), resume: resuming(log) }[mode];
  const engine = await open(library, join(folder, "store"), asked.step);
  const spent = spending();
  try {
    await (mode === "resume" ? engine.resume() : engine.start());
  } catch (thrown) {
    return say({ problem: thrown instanceof Error ? thrown.message : String(thrown), again: asked.again?.() });
  }
  const run = spent();
  await engine.close?.();
  if (mode === "resume") return say({ problem: "it ended without a new step", again: asked.again() });
  say(figures(asked.done(), run));
}

/** The model answers at once. */
function running() {
  let done = 0;
  const spent = spending();
  return {
    done: () => done,
    step: () => {
      if (done % 50 === 0 && performance.now() > deadline) {
        say({ stopped: true, ...figures(done, spent()) });
        process.exit(0);
      }
      done += 1;
    },
  };
}

/** Half of the steps, each noted as it is answered; the next one is never answered, and the process waits to be killed. */
function halfWay(log) {
  let done = 0;
  return {
    step: (name, cursor) => {
      if (done >= Math.floor(number / 2)) {
        // What an engine still has in hand at this moment it may write down: a kill rarely comes in the same millisecond.
        setTimeout(() => say({ half: done }), 200);
        setInterval(() => undefined, 60_000);
        return new Promise(() => undefined);
      }
      done += 1;
      appendFileSync(log, `${name} ${cursor}\n`);
    },
  };
}

function resuming(log) {
  const finished = new Set(existsSync(log) ? readFileSync(log, "utf8").split("\n") : []);
  let again = 0;
  return {
    again: () => again,
    step: (name, cursor) => {
      if (finished.has(`${name} ${cursor}`)) again += 1;
      else {
        say({ first: `${name} ${cursor}`, again });
        process.exit(0);
      }
    },
  };
}

function figures(steps, spent) {
  return { steps, ...spent, peakMb: peakKilobytes() / 1024, stored: sizeOf(folder) };
}

/** What is spent from now until it is asked. */
function spending() {
  const written = writtenBytes();
  const cpu = process.cpuUsage();
  const started = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (performance.now() - started) / 1000;
    return { seconds, cpuSeconds: (user + system) / 1e6, written: writtenBytes() - written };
  };
}

/** Bytes handed to the system in writes; not known where there is no /proc. */
function writtenBytes() {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  } catch {
    return Number.NaN;
  }
}

function sizeOf(path) {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
