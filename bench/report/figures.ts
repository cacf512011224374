import type { CheckFigures } from "../measure/check.ts";
import type { CheckpointFigures } from "../measure/checkpoints.ts";
import type { InboxFigures } from "../measure/inbox.ts";
import type { ApartFigures } from "../measure/apart.ts";
import type { OutsideFigures } from "../measure/outside.ts";
import type { ParallelFigures } from "../measure/parallel.ts";
import type { FleetFigures } from "../measure/fleet/fleet.ts";
import type { KilledFigures } from "../measure/killed.ts";
import type { DiskFigures, PreviousFigures } from "../measure/previous.ts";
import type { PromptFigures } from "../measure/prompts.ts";
import type { RequestFigures } from "../measure/requests.ts";
import type { RehearsalFigures } from "../measure/rehearsal.ts";
import type { StartUpFigures } from "../measure/start-up.ts";
import type { StatusFigures } from "../measure/status.ts";
import type { TestingFigures } from "../measure/testing.ts";
import type { CastsFigures, SyncFigures } from "../durability.ts";
import type { ResumeFigures, RunFigures } from "../peers/measure-peer.ts";
import type { PageFigures } from "../page.ts";
import type { WebFigures } from "../web-server.ts";

/** One row of the comparison; what could not be measured is a sentence that says why. */
export interface Contender {
  readonly name: string;
  readonly node: string;
  readonly isEngine: boolean;
  readonly short: RunFigures | string;
  readonly long: RunFigures | string;
  readonly importMs: number | string;
  readonly resume: ResumeFigures | string;
  /** The first compile of so many sockets in a fresh process. */
  readonly compileMs: Readonly<Record<string, number | string>>;
}

/** The engine of the first release, run in turns with ours. */
export interface FirstRelease {
  readonly short: RunFigures | string;
  readonly long: RunFigures | string;
}

/** What only we have. */
export interface OwnFigures {
  readonly check: Readonly<Record<string, CheckFigures | string>>;
  readonly link: CheckFigures | string;
  readonly prompts: PromptFigures | string;
  /** Of two scripted casts, by loadout. Absent in older results. */
  readonly requests?: Readonly<Record<string, RequestFigures>> | string;
  readonly startUp: StartUpFigures | string;
  readonly casts: CastsFigures | string;
  readonly previous: PreviousFigures | string;
  readonly disk: DiskFigures | string;
  readonly killed: KilledFigures | string;
  readonly sync: SyncFigures | string;
  readonly status: StatusFigures | string;
  readonly rehearsal: RehearsalFigures | string;
  /** By how many files the repository has. */
  readonly checkpoints: Readonly<Record<string, CheckpointFigures | string>>;
  /** The same, of items that are worked on at once. */
  readonly parallel: Readonly<Record<string, ParallelFigures | string>>;
  /** A cast with a separate working tree. Absent in earlier results. */
  readonly apart?: ApartFigures | string;
  /** What other tools wait for. Absent in earlier results. */
  readonly outside?: OutsideFigures | string;
  /** The casts of many projects. Absent in earlier results. */
  readonly inbox?: InboxFigures | string;
  readonly testing: TestingFigures | string;
  /** Absent in results of before there were fleets. */
  readonly fleet?: FleetFigures | string;
  readonly web: WebFigures | string;
  /** In a real browser. Absent in earlier results. */
  readonly page?: PageFigures | string;
}

export interface Machine {
  readonly date: string;
  readonly cores: number;
  readonly node: string;
  readonly system: string;
  /** Load averages over a minute, before and after. Above the number of cores, times are too long and rates too low. */
  readonly load: { readonly before: number; readonly after: number };
  /** The share of it that other work took, on average, when a measurement began. */
  readonly busyWithOthers: number;
  readonly seconds: number;
}

export interface Results {
  readonly machine: Machine;
  readonly steps: { readonly short: number; readonly long: number };
  readonly contenders: readonly Contender[];
  /** Absent in results of earlier benchmarks. */
  readonly first?: FirstRelease;
  readonly own: OwnFigures;
  readonly targets: readonly JudgedFigure[];
}

export interface JudgedFigure {
  readonly what: string;
  readonly target: string;
  readonly figure: string;
  /** Null where nothing was measured. */
  readonly met: boolean | null;
}

/** The cost of a step in a long run against one in a short run. */
export function growthOf({ short, long }: Pick<Contender, "short" | "long">): number | undefined {
  if (typeof short === "string" || typeof long === "string") return undefined;
  return short.stepsPerSecond / long.stepsPerSecond;
}
