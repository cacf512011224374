import { growthOf, type Contender, type JudgedFigure, type OwnFigures } from "./figures.ts";
import type { RunFigures } from "../peers/measure-peer.ts";
import { BILLED_BEFORE } from "../measure/request-scripts.ts";
import { bytesText, msText, numberText } from "./text.ts";

/** Every target beside what was measured. The first contender is ours. */
export function judge(
  contenders: readonly Contender[],
  own: OwnFigures,
  first: RunFigures | string,
): readonly JudgedFigure[] {
  const [ours, ...others] = contenders;
  return [
    ...(ours ? judgeEngine(ours, others) : []),
    ...(ours ? judgeCost(ours, first) : []),
    ...judgeCompile(own),
    ...judgeOwn(own),
    ...judgeRequests(own),
    ...judgeTesting(own),
    ...judgeFiles(own),
    ...judgeParallel(own),
    ...judgeInbox(own),
    ...judgeApart(own),
    ...judgeFleet(own),
  ];
}

function judgeEngine(ours: Contender, others: readonly Contender[]): readonly JudgedFigure[] {
  const { long, importMs, resume } = ours;
  const durable = others.flatMap((each) =>
    each.isEngine && typeof each.long !== "string" ? [each.long.stepsPerSecond] : [],
  );
  const best = Math.max(...durable);
  const rate = typeof long === "string" ? undefined : long.stepsPerSecond;
  const growth = growthOf(ours);
  const ratio = rate === undefined || durable.length === 0 ? undefined : rate / best;
  return [
    lowerLimit("steps a second, best durable peer = 1", 10, ratio, (value) => `${value.toFixed(1)} ×`),
    lowerLimit("steps a second", 20_000, rate, numberText),
    upperLimit("growth of the cost per step", 1.2, growth, (value) => value.toFixed(2)),
    upperLimit("stored per step", 1_000, typeof long === "string" ? undefined : long.stored / long.steps, bytesText),
    upperLimit("resume after kill -9", 120, typeof resume === "string" ? undefined : (resume.ms ?? undefined), msText),
    upperLimit(
      "finished steps run again",
      0,
      typeof resume === "string" ? undefined : (resume.again ?? undefined),
      String,
    ),
    upperLimit("import of the library", 50, typeof importMs === "string" ? undefined : importMs, msText),
  ];
}

function judgeRequests({ requests }: OwnFigures): readonly JudgedFigure[] {
  if (typeof requests !== "object") return [];
  const percent = (value: number): string => `${Math.round(value * 100)} %`;
  const most = Math.max(...Object.values(requests).map(({ conflictRequests }) => conflictRequests));
  const bills = Object.entries(requests).map(([name, { billed }]) => {
    const before = BILLED_BEFORE[name];
    const share = before === undefined ? undefined : billed / before;
    return upperLimit(`billed input of ${name}, before = 100 %`, 0.55, share, percent);
  });
  return [...bills, upperLimit("requests of a conflict of three hunks", 3, most, String)];
}

/** Against the first release: here it shows when a step has become dearer. */
function judgeCost({ long }: Contender, first: RunFigures | string): readonly JudgedFigure[] {
  const figures = typeof long === "string" ? undefined : long;
  const ratio = figures && typeof first !== "string" ? figures.cpuMicros / first.cpuMicros : undefined;
  return [
    upperLimit("processor time of a step", 45, figures?.cpuMicros, (value) => `${numberText(value)} µs`),
    upperLimit("the same, first release = 1", 1.35, ratio, (value) => value.toFixed(2)),
    upperLimit("peak memory, MB", 110, figures?.peakMb, numberText),
  ];
}

function judgeCompile({ check, link }: OwnFigures): readonly JudgedFigure[] {
  const big = check["5000"];
  return [
    upperLimit("5,000 sockets read, checked and weighed", 50, typeof big === "object" ? big.warmMs : undefined, msText),
    upperLimit("the same for the first time", 120, typeof big === "object" ? big.firstMs : undefined, msText),
    upperLimit("link of 20 loadouts of 250 sockets", 50, typeof link === "object" ? link.warmMs : undefined, msText),
  ];
}

function judgeOwn(own: OwnFigures): readonly JudgedFigure[] {
  const { prompts, startUp, casts, previous, disk, sync, status, rehearsal, web } = own;
  const page = typeof own.page === "object" ? own.page : undefined;
  const slowest = typeof startUp === "string" ? undefined : Math.max(...Object.values(startUp.beyondMs));
  const startUpCpu = typeof startUp === "string" ? undefined : startUp.castsCpuMs;
  const view = typeof web === "string" ? undefined : web.firstViewMs;
  const percent = (value: number): string => `${(value * 100).toFixed(0)} %`;
  return [
    lowerLimit(
      "request within a loop that a cache can reuse",
      0.85,
      typeof prompts === "string" ? undefined : prompts.repeatedOverall,
      percent,
    ),
    upperLimit(
      "prompt at the last item, first = 1",
      1.05,
      typeof prompts === "string" ? undefined : prompts.growth,
      (value) => value.toFixed(3),
    ),
    upperLimit("slowest of --help, check, casts beyond Node", 150, slowest, msText),
    upperLimit("processor time of casts beyond Node", 60, startUpCpu?.published, msText),
    upperLimit("the same in a checkout", 120, startUpCpu?.checkout, msText),
    upperLimit("casts --json over 2,000 casts", 300, typeof casts === "string" ? undefined : casts.medianMs, msText),
    upperLimit(
      "context of a cast of 10,000 visits",
      100,
      typeof previous === "string" ? undefined : previous.firstMs,
      msText,
    ),
    upperLimit("fdatasync per step, bare syncs = 1", 1.3, typeof sync === "string" ? undefined : sync.ratio, (value) =>
      value.toFixed(2),
    ),
    lowerLimit(
      "steps a second with the files of every visit",
      6_000,
      typeof previous === "string" ? undefined : previous.stepsPerSecond,
      numberText,
    ),
    upperLimit(
      "files of a visit at 400 items, at 100 = 1",
      1.2,
      typeof disk === "string" ? undefined : disk.growth,
      (value) => value.toFixed(2),
    ),
    upperLimit("status of 100,000 events", 500, typeof status === "string" ? undefined : status.ms, msText),
    upperLimit("memory of that, MB", 120, typeof status === "string" ? undefined : status.peakMb, numberText),
    upperLimit(
      "rehearsed turn beyond Pi's own",
      3,
      typeof rehearsal === "string" ? undefined : rehearsal.beyondMs,
      msText,
    ),
    upperLimit("first view of 10,000 events", 1_000, view, msText),
    upperLimit("first view of a cast's files", 200, typeof web === "string" ? undefined : web.filesMs, msText),
    upperLimit("journal to page, 99 of 100", 100, typeof web === "string" ? undefined : web.deliveryMs.p99, msText),
    ...(own.page === undefined
      ? []
      : [
          upperLimit("browser: list of 2,000 casts", 250, page?.listMs, msText),
          upperLimit("browser: cast of 1,000 visits", 200, page?.castMs, msText),
          upperLimit("browser: longest task while it streams", 100, page?.longestTaskMs, msText),
          upperLimit("browser: editor of 300 sockets", 500, page?.editorMs, msText),
          upperLimit("browser: selection in it", 50, page?.selectMs, msText),
        ]),
  ];
}

function judgeFiles({ checkpoints }: OwnFigures): readonly JudgedFigure[] {
  const limits = { "200": 30, "5000": 80, "50000": 300 };
  const figures = (files: string) => {
    const found = checkpoints[files];
    return typeof found === "object" ? found : undefined;
  };
  return [
    ...Object.entries(limits).map(([files, limit]) =>
      upperLimit(`checkpoint, ${numberText(Number(files))} files`, limit, figures(files)?.changedMs, msText),
    ),
    upperLimit("diff of a visit, 5,000 files", 100, figures("5000")?.diffMs, msText),
  ];
}

function judgeParallel({ parallel }: OwnFigures): readonly JudgedFigure[] {
  const figures = (files: string) => {
    const found = parallel[files];
    return typeof found === "object" ? found : undefined;
  };
  return [
    upperLimit("8 items of 1 s in 4 lanes, 200 files", 3_000, figures("200")?.firstMs, msText),
    upperLimit("the same with 5,000 files, trees ready", 4_000, figures("5000")?.warmMs, msText),
    upperLimit("beyond the work, for an item", 150, figures("200")?.perItemMs, msText),
    upperLimit("budget overrun by 8 lanes", 1, figures("200")?.overrunTurns, (value) => `${value.toFixed(1)} turns`),
  ];
}

function judgeInbox({ inbox }: OwnFigures): readonly JudgedFigure[] {
  if (inbox === undefined) return [];
  const figures = typeof inbox === "object" ? inbox : undefined;
  return [upperLimit("inbox over 50 projects with 2,000 casts", 150, figures?.medianMs, msText)];
}

function judgeApart({ apart }: OwnFigures): readonly JudgedFigure[] {
  if (apart === undefined) return [];
  const figures = typeof apart === "object" ? apart : undefined;
  return [
    upperLimit("cast --worktree begins, 5,000 files", 1_500, figures?.newMs, msText),
    upperLimit("the same with a tree ready", 300, figures?.pooledMs, msText),
  ];
}

function judgeFleet({ fleet }: OwnFigures): readonly JudgedFigure[] {
  const figures = typeof fleet === "object" ? fleet : undefined;
  return [
    upperLimit("a step on a fleet", 1, figures?.appendMs, msText),
    upperLimit("event to one who follows, 99 of 100", 50, figures?.seenMs.p99, msText),
    upperLimit("kill -9 of a worker to the next turn", 5_000, figures?.takeOverMs, msText),
    lowerLimit("casts a second over 4 workers", 40, figures?.crowd.perSecond, numberText),
    upperLimit("of them lost or repeated", 0, figures && figures.crowd.lost + figures.crowd.repeated, String),
    upperLimit("casts --on, newest of 100,000", 300, figures?.listMs, msText),
    // Two starts of one program differ by as much.
    upperLimit("added to commands that name no fleet", 5, figures?.bystanderMs, msText),
  ];
}

function judgeTesting({ testing }: OwnFigures): readonly JudgedFigure[] {
  const figures = typeof testing === "string" ? undefined : testing;
  return [
    upperLimit("100 tests of five visits", 20_000, figures?.testMs, msText),
    upperLimit("replay of 200 casts of 50 visits", 5_000, figures?.replayMs, msText),
    upperLimit("forecast where 2,000 casts are kept", 1_000, figures?.forecastMs, msText),
    lowerLimit("fuzzed casts a second of ten sockets", 2_000, figures?.fuzzedPerSecond, numberText),
  ];
}

function upperLimit(
  what: string,
  limit: number,
  figure: number | undefined,
  text: (value: number) => string,
): JudgedFigure {
  return judged(what, `≤ ${text(limit)}`, figure, { text, met: (value) => value <= limit });
}

function lowerLimit(
  what: string,
  limit: number,
  figure: number | undefined,
  text: (value: number) => string,
): JudgedFigure {
  return judged(what, `≥ ${text(limit)}`, figure, { text, met: (value) => value >= limit });
}

function judged(
  what: string,
  target: string,
  figure: number | undefined,
  { text, met }: { readonly text: (value: number) => string; readonly met: (value: number) => boolean },
): JudgedFigure {
  if (figure === undefined || !Number.isFinite(figure)) return { what, target, figure: "not measured", met: null };
  return { what, target, figure: text(figure), met: met(figure) };
}
