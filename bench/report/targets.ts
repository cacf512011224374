import { growthOf, type Contender, type Judged, type OwnFigures } from "./figures.ts";
import type { RunFigures } from "../peers/measure-peer.ts";
import { bytesText, msText, numberText } from "./text.ts";

/** Every target beside what was measured. The first contender is ours. */
export function judge(
  contenders: readonly Contender[],
  own: OwnFigures,
  first: RunFigures | string,
): readonly Judged[] {
  const [ours, ...others] = contenders;
  return [
    ...(ours ? judgeEngine(ours, others) : []),
    ...(ours ? judgeCost(ours, first) : []),
    ...judgeCompile(own),
    ...judgeOwn(own),
    ...judgeTesting(own),
    ...judgeFiles(own),
    ...judgeParallel(own),
    ...judgeFleet(own),
  ];
}

function judgeEngine(ours: Contender, others: readonly Contender[]): readonly Judged[] {
  const { long, importMs, resume } = ours;
  const durable = others.flatMap((each) =>
    each.isEngine && typeof each.long !== "string" ? [each.long.stepsPerSecond] : [],
  );
  const best = Math.max(...durable);
  const rate = typeof long === "string" ? undefined : long.stepsPerSecond;
  const growth = growthOf(ours);
  const ratio = rate === undefined || durable.length === 0 ? undefined : rate / best;
  return [
    atLeast("steps a second, best durable peer = 1", 10, ratio, (value) => `${value.toFixed(1)} ×`),
    atLeast("steps a second", 20_000, rate, numberText),
    atMost("growth of the cost per step", 1.2, growth, (value) => value.toFixed(2)),
    atMost("stored per step", 1_000, typeof long === "string" ? undefined : long.stored / long.steps, bytesText),
    atMost("resume after kill -9", 120, typeof resume === "string" ? undefined : (resume.ms ?? undefined), msText),
    atMost("finished steps run again", 0, typeof resume === "string" ? undefined : (resume.again ?? undefined), String),
    atMost("import of the library", 50, typeof importMs === "string" ? undefined : importMs, msText),
  ];
}

/** Against the first release: here it shows when a step has become dearer. */
function judgeCost({ long }: Contender, first: RunFigures | string): readonly Judged[] {
  const figures = typeof long === "string" ? undefined : long;
  const ratio = figures && typeof first !== "string" ? figures.cpuMicros / first.cpuMicros : undefined;
  return [
    atMost("processor time of a step", 45, figures?.cpuMicros, (value) => `${numberText(value)} µs`),
    atMost("the same, first release = 1", 1.35, ratio, (value) => value.toFixed(2)),
    atMost("peak memory, MB", 110, figures?.peakMb, numberText),
  ];
}

function judgeCompile({ check, link }: OwnFigures): readonly Judged[] {
  const big = check["5000"];
  return [
    atMost("5,000 sockets read, checked and weighed", 50, typeof big === "object" ? big.warmMs : undefined, msText),
    atMost("the same for the first time", 120, typeof big === "object" ? big.firstMs : undefined, msText),
    atMost("link of 20 loadouts of 250 sockets", 50, typeof link === "object" ? link.warmMs : undefined, msText),
  ];
}

function judgeOwn(own: OwnFigures): readonly Judged[] {
  const { prompts, startUp, casts, previous, disk, sync, status, rehearsal, web } = own;
  const slowest = typeof startUp === "string" ? undefined : Math.max(...Object.values(startUp.beyondMs));
  const startUpCpu = typeof startUp === "string" ? undefined : startUp.castsCpuMs;
  const view = typeof web === "string" ? undefined : web.firstViewMs;
  const percent = (value: number): string => `${(value * 100).toFixed(0)} %`;
  return [
    atLeast(
      "prompt that a cache can reuse",
      0.6,
      typeof prompts === "string" ? undefined : prompts.repeatedOverall,
      percent,
    ),
    atMost(
      "prompt at the last item, first = 1",
      1.05,
      typeof prompts === "string" ? undefined : prompts.growth,
      (value) => value.toFixed(3),
    ),
    atMost("slowest of --help, check, casts beyond Node", 150, slowest, msText),
    atMost("processor time of casts beyond Node", 60, startUpCpu?.published, msText),
    atMost("the same in a checkout", 120, startUpCpu?.checkout, msText),
    atMost("casts --json over 2,000 casts", 300, typeof casts === "string" ? undefined : casts.medianMs, msText),
    atMost(
      "context of a cast of 10,000 visits",
      100,
      typeof previous === "string" ? undefined : previous.firstMs,
      msText,
    ),
    atMost("fdatasync per step, bare syncs = 1", 1.3, typeof sync === "string" ? undefined : sync.ratio, (value) =>
      value.toFixed(2),
    ),
    atLeast(
      "steps a second with the files of every visit",
      6_000,
      typeof previous === "string" ? undefined : previous.stepsPerSecond,
      numberText,
    ),
    atMost(
      "files of a visit at 400 items, at 100 = 1",
      1.2,
      typeof disk === "string" ? undefined : disk.growth,
      (value) => value.toFixed(2),
    ),
    atMost("status of 100,000 events", 500, typeof status === "string" ? undefined : status.ms, msText),
    atMost("memory of that, MB", 120, typeof status === "string" ? undefined : status.peakMb, numberText),
    atMost("rehearsed turn beyond Pi's own", 3, typeof rehearsal === "string" ? undefined : rehearsal.beyondMs, msText),
    atMost("first view of 10,000 events", 1_000, view, msText),
    atMost("first view of a cast's files", 200, typeof web === "string" ? undefined : web.filesMs, msText),
    atMost("journal to page, 99 of 100", 100, typeof web === "string" ? undefined : web.deliveryMs.p99, msText),
  ];
}

function judgeFiles({ checkpoints }: OwnFigures): readonly Judged[] {
  const limits = { "200": 30, "5000": 80, "50000": 300 };
  const figures = (files: string) => {
    const found = checkpoints[files];
    return typeof found === "object" ? found : undefined;
  };
  return [
    ...Object.entries(limits).map(([files, limit]) =>
      atMost(`checkpoint, ${numberText(Number(files))} files`, limit, figures(files)?.changedMs, msText),
    ),
    atMost("diff of a visit, 5,000 files", 100, figures("5000")?.diffMs, msText),
  ];
}

function judgeParallel({ parallel }: OwnFigures): readonly Judged[] {
  const figures = (files: string) => {
    const found = parallel[files];
    return typeof found === "object" ? found : undefined;
  };
  return [
    atMost("8 items of 1 s in 4 lanes, 200 files", 3_000, figures("200")?.firstMs, msText),
    atMost("the same with 5,000 files, trees ready", 4_000, figures("5000")?.warmMs, msText),
    atMost("beyond the work, for an item", 150, figures("200")?.perItemMs, msText),
    atMost("budget overrun by 8 lanes", 1, figures("200")?.overrunTurns, (value) => `${value.toFixed(1)} turns`),
  ];
}

function judgeFleet({ fleet }: OwnFigures): readonly Judged[] {
  const figures = typeof fleet === "object" ? fleet : undefined;
  return [
    atMost("a step on a fleet", 1, figures?.appendMs, msText),
    atMost("event to one who follows, 99 of 100", 50, figures?.seenMs.p99, msText),
    atMost("kill -9 of a worker to the next turn", 5_000, figures?.takeOverMs, msText),
    atLeast("casts a second over 4 workers", 40, figures?.crowd.perSecond, numberText),
    atMost("of them lost or repeated", 0, figures && figures.crowd.lost + figures.crowd.repeated, String),
    atMost("casts --on, newest of 100,000", 300, figures?.listMs, msText),
    // Two starts of one program differ by as much.
    atMost("added to commands that name no fleet", 5, figures?.bystanderMs, msText),
  ];
}

function judgeTesting({ testing }: OwnFigures): readonly Judged[] {
  const figures = typeof testing === "string" ? undefined : testing;
  return [
    atMost("100 tests of five visits", 20_000, figures?.testMs, msText),
    atMost("replay of 200 casts of 50 visits", 5_000, figures?.replayMs, msText),
    atMost("forecast where 2,000 casts are kept", 1_000, figures?.forecastMs, msText),
    atLeast("fuzzed casts a second of ten sockets", 2_000, figures?.fuzzedPerSecond, numberText),
  ];
}

function atMost(what: string, limit: number, figure: number | undefined, text: (value: number) => string): Judged {
  return judged(what, `≤ ${text(limit)}`, figure, { text, met: (value) => value <= limit });
}

function atLeast(what: string, limit: number, figure: number | undefined, text: (value: number) => string): Judged {
  return judged(what, `≥ ${text(limit)}`, figure, { text, met: (value) => value >= limit });
}

function judged(
  what: string,
  target: string,
  figure: number | undefined,
  { text, met }: { readonly text: (value: number) => string; readonly met: (value: number) => boolean },
): Judged {
  if (figure === undefined || !Number.isFinite(figure)) return { what, target, figure: "not measured", met: null };
  return { what, target, figure: text(figure), met: met(figure) };
}
