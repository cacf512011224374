import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chanceOf, type Chance } from "../random-graph.ts";
import { lawProblems, type Life } from "./laws.ts";
import { castIn, commandOf, envOf, eventsIn, newChaosPlace, type ChaosPlace } from "./place.ts";

/** After so many lives nothing disturbs the cast any more, so that it comes to its end. */
const STORMY_LIVES = 6;
const MOST_LIVES = 10;
const DAY_MS = 86_400_000;

export interface ChaosReport {
  readonly lives: readonly string[];
  readonly problems: readonly string[];
}

/** [D26] One real cast in real processes through the faults that this number stands for, and all that was wrong. */
export async function chaos(seed: number): Promise<ChaosReport> {
  const chance = chanceOf(seed);
  const place = newChaosPlace(`sk-${"0123456789abcdef".repeat(2)}-${seed}`);
  const lives: Life[] = [];
  try {
    for (let number = 1; number <= MOST_LIVES && !hasEnded(place); number += 1)
      lives.push(await live(place, lives.at(-1), number <= STORMY_LIVES ? faultOf(chance) : { kind: "none" }));
    const problems = [...lives.flatMap((life) => life.problems), ...lawProblems(place, lives)];
    return { lives: lives.map(({ fault }) => fault), problems: [...problems, ...(await flipProblems(place, chance))] };
  } finally {
    rmSync(place.top, { recursive: true, force: true });
  }
}

type Fault =
  | { readonly kind: "none" }
  | { readonly kind: "killed" | "interrupted" | "paused"; readonly after: number }
  | { readonly kind: "skewed"; readonly byMs: number; readonly after: number }
  | { readonly kind: "full"; readonly writes: number };

function faultOf(chance: Chance): Fault {
  const after = chance.count(1, 12);
  const kind = chance.pick("killed", "killed", "paused", "skewed", "full", "interrupted");
  if (kind === "full") return { kind, writes: chance.count(0, 40) };
  if (kind !== "skewed") return { kind, after };
  return { kind, after, byMs: chance.pick(-400 * DAY_MS, -3_600_000, 360_000, 30 * DAY_MS) };
}

function hasEnded(place: ChaosPlace): boolean {
  const castId = castIn(place);
  if (castId === undefined) return false;
  try {
    const last = eventsIn(join(place.root, castId, "journal.jsonl")).at(-1);
    return last?.type === "cast_ended" && last.outcome === "completed";
  } catch {
    return false;
  }
}

/** From its start to its end of one process that drives the cast. */
async function live(place: ChaosPlace, before: Life | undefined, fault: Fault): Promise<Life> {
  const number = (before?.number ?? 0) + 1;
  const castId = castIn(place);
  // On a full disk its mark may be missing: the person is asked, and says yes.
  const trust = before?.isForeign ? ["--trust"] : [];
  const words = castId === undefined ? ["cast", "--json", "go"] : ["recast", castId, "--json", ...trust];
  const child = spawn(process.execPath, commandOf(words), {
    cwd: place.cwd,
    env: envOf(place, environmentOf(fault, number)),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const problems: string[] = [];
  let told = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== "") told += 1;
    if (!("after" in fault) || told !== fault.after) continue;
    if (fault.kind === "paused") problems.push(...(await pausedProblems(place, child.pid ?? 0)));
    else child.kill(fault.kind === "interrupted" ? "SIGINT" : "SIGKILL");
  }
  const [code] = await closed;
  const printed = Buffer.concat(said).toString("utf8");
  if (/\n\s+at .*:\d+:\d+/.test(printed))
    problems.push(`life ${number} (${fault.kind}) ended in a stack: ${printed.slice(0, 400)}`);
  return { number, fault: fault.kind, code, problems, isForeign: printed.includes("foreign_cast") };
}

function environmentOf(fault: Fault, number: number): Record<string, string> {
  return {
    CHAOS_LIFE: String(number),
    ...(fault.kind === "skewed" ? { CHAOS_SKEW_MS: String(fault.byMs) } : {}),
    ...(fault.kind === "full" ? { CHAOS_WRITES: String(fault.writes) } : {}),
  };
}

/** A paused owner still owns: a rival is refused, by any clock. */
async function pausedProblems(place: ChaosPlace, pid: number): Promise<readonly string[]> {
  const castId = castIn(place);
  if (castId === undefined) return ["a cast that tells events has no folder"];
  try {
    process.kill(pid, "SIGSTOP");
  } catch {
    // It was over before it could be paused.
    return [];
  }
  const before = journalText(place, castId);
  const env = envOf(place, { CHAOS_LIFE: "rival", CHAOS_SKEW_MS: String(360_000) });
  const rival = spawn(process.execPath, commandOf(["recast", castId, "--json"]), {
    cwd: place.cwd,
    env,
    stdio: "ignore",
  });
  const [code] = (await once(rival, "close")) as [number | null];
  const changed = journalText(place, castId) !== before;
  process.kill(pid, "SIGCONT");
  return [
    ...(code === 2 ? [] : [`a rival of a paused owner was not refused: it exited with ${code}`]),
    ...(changed ? ["a rival of a paused owner wrote into its journal"] : []),
  ];
}

function journalText({ root }: ChaosPlace, castId: string): string {
  return readFileSync(join(root, castId, "journal.jsonl"), "utf8");
}

const FLIPS = 3;

/** One bit of a finished journal at a time: it is noticed, or what is shown is what happened. */
async function flipProblems(place: ChaosPlace, chance: Chance): Promise<readonly string[]> {
  const castId = castIn(place);
  if (castId === undefined) return [];
  const file = join(place.root, castId, "journal.jsonl");
  const sound = readFileSync(file);
  const truth = JSON.stringify(eventsShown(await shown(place, castId)));
  const problems: string[] = [];
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const [at, bit] = [chance.count(0, sound.length - 1), chance.count(0, 7)];
    const flipped = Buffer.from(sound);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
    writeFileSync(file, flipped);
    const { code, stdout } = await shown(place, castId);
    const isSame = code === 0 && truth.startsWith(JSON.stringify(eventsShown({ code, stdout })).slice(0, -1));
    if (code !== 2 && !isSame) problems.push(`bit ${bit} of byte ${at} of the journal was flipped and nobody noticed`);
    writeFileSync(file, sound);
  }
  return problems;
}

interface Shown {
  readonly code: number | null;
  readonly stdout: string;
}

async function shown(place: ChaosPlace, castId: string): Promise<Shown> {
  const env = envOf(place, {});
  const child = spawn(process.execPath, commandOf(["show", castId, "--json"]), {
    cwd: place.cwd,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout: Buffer.concat(chunks).toString("utf8") };
}

function eventsShown({ stdout }: Shown): unknown {
  return (JSON.parse(stdout) as { readonly events: unknown }).events; // what `show --json` prints
}
