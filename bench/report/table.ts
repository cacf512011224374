import type { RunFigures } from "../peers/measure-peer.ts";
import { growthOf, type Contender, type FirstRelease, type Machine, type OwnFigures, type Results } from "./figures.ts";
import { bytesText, msText, numberText, tableText } from "./text.ts";

/** Everything that was measured, for a person. */
export function resultsText(results: Results): string {
  const { machine, contenders, first, own, targets } = results;
  const notes = [...firstNotes(first), ...notesOf(contenders)];
  const marks = { true: "met", false: "MISSED", null: "–" } as const;
  return [
    machineText(machine),
    comparisonText(results),
    ...(notes.length > 0 ? [notes.join("\n")] : []),
    ownText(own),
    tableText([
      ["target", "wanted", "measured", ""],
      ...targets.map(({ what, target, figure, met }) => [what, target, figure, marks[`${met}`]]),
    ]),
  ].join("\n\n");
}

function machineText({ date, cores, node, system, load, busyWithOthers, seconds }: Machine): string {
  return `${date} · ${cores} cores · Node ${node} · ${system} · load ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after, ${Math.round(busyWithOthers * 100)} % busy with other work · ${Math.round(seconds)} s
Each figure comes from a separate process, without warm-up where none is named; the middle of three where there are three.
Written: bytes handed to the system. Resume: killed half way, from the start of the new process to its first new step; again: finished steps run again.
Compile: the first time in a process. Ours reads, checks and weighs a graph with loops; the others build a chain, unchecked.`;
}

function comparisonText({ contenders, first, steps }: Results): string {
  const [short, long] = [numberText(steps.short), numberText(steps.long)];
  const head = [
    "",
    `steps/s at ${short}`,
    `at ${long}`,
    "growth",
    "cpu/step",
    "memory",
    "stored",
    "written",
    "import",
    "resume",
    "again",
  ];
  const sizes = Object.keys(contenders[0]?.compileMs ?? {});
  const [ours, ...others] = contenders.map((each) => [
    ...runCells(each.name, each),
    typeof each.importMs === "string" ? "–" : msText(each.importMs),
    ...resumeCells(each),
    ...sizes.map((size) => {
      const ms = each.compileMs[size];
      return typeof ms === "number" ? msText(ms) : "–";
    }),
  ]);
  const titles = [...head, ...sizes.map((size) => `compile ${numberText(Number(size))}`)];
  const old = first ? [runCells(FIRST, first)] : [];
  const rows = [...(ours ? [ours] : []), ...old, ...others];
  return tableText([titles, ...rows.map((row) => titles.map((_, column) => row[column] ?? "–"))]);
}

const FIRST = "pi-materia 0.1.0";

function firstNotes(first: FirstRelease | undefined): readonly string[] {
  return typeof first?.long === "string" ? [`${FIRST}: ${first.long}`] : [];
}

function runCells(name: string, run: FirstRelease): readonly string[] {
  return [name, rateText(run.short), rateText(run.long), growthOf(run)?.toFixed(2) ?? "–", ...lastRun(run)];
}

function rateText(run: RunFigures | string): string {
  if (typeof run === "string") return "–";
  return `${numberText(run.stepsPerSecond)}${run.stoppedBefore === undefined ? "" : " *"}`;
}

function lastRun({ short, long }: FirstRelease): readonly string[] {
  const run = typeof long === "string" ? short : long;
  if (typeof run === "string") return ["–", "–", "–", "–"];
  return [
    `${numberText(run.cpuMicros)} µs`,
    `${numberText(run.peakMb)} MB`,
    bytesText(run.stored),
    run.written === null ? "–" : bytesText(run.written),
  ];
}

function resumeCells({ resume }: Contender): readonly string[] {
  if (typeof resume === "string" || resume.ms === null) return ["–", "–"];
  return [msText(resume.ms), String(resume.again ?? "–")];
}

/** What is behind a star or a dash. */
function notesOf(contenders: readonly Contender[]): readonly string[] {
  return contenders.flatMap(({ name, node, short, long, importMs, resume, compileMs }) => {
    const told = [short, long, importMs, resume, ...Object.values(compileMs)].filter(
      (each) => typeof each === "string",
    );
    const runs = [short, long].filter(
      (run) => typeof run !== "string" && run.stoppedBefore !== undefined,
    ) as RunFigures[];
    const stopped = runs.map(
      (run) =>
        `* stopped after ${numberText(run.steps)} of ${numberText(run.stoppedBefore ?? 0)} steps at ${numberText(run.stepsPerSecond)} steps/s`,
    );
    const refused =
      typeof resume === "object" && resume.problem !== undefined ? [`does not resume: ${resume.problem}`] : [];
    const other = node === "" || node === process.version ? [] : [`on Node ${node}`];
    const all = [...new Set([...told, ...stopped, ...refused, ...other])];
    return all.length === 0 ? [] : [`${name}: ${all.join("; ")}`];
  });
}

function ownText(own: OwnFigures): string {
  const rows: [string, string][] = [];
  const row = <T extends object>(what: string, figures: T | string, text: (figures: T) => string): void => {
    rows.push([what, typeof figures === "string" ? figures : text(figures)]);
  };
  for (const [sockets, figures] of Object.entries(own.check))
    row(`check ${numberText(Number(sockets))} sockets`, figures, (each) => repeatedText(each));
  row("compile a link of 20 × 250 sockets", own.link, repeatedText);
  row("characters of a first request, item 1 → item 1,000", own.prompts, ({ sizes }) =>
    Object.entries(sizes)
      .map(([name, { first, last }]) => `${name} ${numberText(first)} → ${numberText(last)}`)
      .join(", "),
  );
  row("request repeated from its first character", own.prompts, ({ repeated, repeatedOverall }) =>
    [...Object.entries(repeated), ["all", repeatedOverall] as const]
      .map(([name, share]) => `${name} ${(share * 100).toFixed(0)} %`)
      .join(", "),
  );
  for (const [name, figures] of Object.entries(typeof own.requests === "object" ? own.requests : {}))
    row(`requests of ${name}, scripted`, figures, ({ requests, bytes, tokens, billed, repeated }) =>
      [
        `${requests} requests`,
        bytesText(bytes),
        `${numberText(tokens)} tokens sent, ${numberText(billed)} billed with a cache`,
        `${(repeated * 100).toFixed(0)} % of each repeated`,
      ].join(", "),
    );
  row(
    "start-up beyond bare Node",
    own.startUp,
    ({ beyondMs, nodeMs }) =>
      `${Object.entries(beyondMs)
        .map(([name, ms]) => `${name} ${msText(ms)}`)
        .join(", ")} (Node ${msText(nodeMs)})`,
  );
  row("processor time of casts beyond bare Node", own.startUp, ({ castsCpuMs }) =>
    castsCpuMs ? `${msText(castsCpuMs.published)}, in a checkout ${msText(castsCpuMs.checkout)}` : "not measured",
  );
  row("casts --json over 2,000 casts", own.casts, ({ medianMs }) => msText(medianMs));
  row(
    "context of a cast of 10,000 visits",
    own.previous,
    ({ firstMs, laterMs }) => `first ${msText(firstMs)}, then ${msText(laterMs)}`,
  );
  row("steps/s with the files of every visit", own.previous, ({ stepsPerSecond }) => numberText(stepsPerSecond));
  row(
    "files of a visit beside a list of 400 items",
    own.disk,
    ({ bytesPerVisit, growth }) => `${bytesText(bytesPerVisit)} (× ${growth.toFixed(2)} of those beside 100)`,
  );
  row("resume at 5,000 steps", own.killed, ({ ms, again }) => `${msText(ms)}, ${again} run again`);
  row(
    "a step with fdatasync",
    own.sync,
    ({ engineMs, bareMs, ratio }) =>
      `${msText(engineMs)}, the same syncs alone ${msText(bareMs)} (× ${ratio.toFixed(2)})`,
  );
  row("status of 100,000 events", own.status, ({ ms, peakMb }) => `${msText(ms)}, ${numberText(peakMb)} MB`);
  row(
    "a rehearsed turn",
    own.rehearsal,
    ({ oursMs, piMs, beyondMs }) => `${msText(oursMs)}, Pi alone ${msText(piMs)} (+ ${msText(beyondMs)})`,
  );
  for (const [files, figures] of Object.entries(own.checkpoints))
    row(
      `checkpoint in a tree of ${numberText(Number(files))} files`,
      figures,
      ({ beginMs, changedMs, sameMs, diffMs }) =>
        `first ${msText(beginMs)}, after a change ${msText(changedMs)}, without one ${msText(sameMs)}; diff ${msText(diffMs)}`,
    );
  for (const [files, figures] of Object.entries(own.parallel))
    row(
      `8 items of 1 s in 4 lanes, ${numberText(Number(files))} files`,
      figures,
      ({ firstMs, warmMs, perItemMs, perItemCpuMs, perItemCalls, overrunTurns }) =>
        `first ${msText(firstMs)}, with trees ready ${msText(warmMs)}; beyond the work ${msText(perItemMs)} an item ` +
        `(${msText(perItemCpuMs)} of processors, ${perItemCalls.toFixed(1)} calls of git); ` +
        `8 lanes overran a budget by ${overrunTurns.toFixed(1)} turns`,
    );
  if (own.inbox !== undefined)
    row(
      "inbox over 50 projects with 2,000 casts",
      own.inbox,
      ({ medianMs, unseen }) => `${msText(medianMs)}, ${numberText(unseen)} of them not looked at`,
    );
  if (own.apart !== undefined)
    row(
      "cast --worktree to its first visit",
      own.apart,
      ({ files, newMs, pooledMs }) =>
        `new tree ${msText(newMs)}, with a tree ready ${msText(pooledMs)}, ${numberText(files)} files`,
    );
  if (own.outside !== undefined) {
    row(
      "mcp to its first answer",
      own.outside,
      ({ mcpMs, mcpCpuMs }) => `${msText(mcpMs)}, processor time ${msText(mcpCpuMs)}`,
    );
    row(
      "export --json of 10,000 events",
      own.outside,
      ({ exportMs, exportCpuMs }) => `${msText(exportMs)}, processor time ${msText(exportCpuMs)}`,
    );
  }
  fleetRows(own, row);
  row(
    "page: first view of 10,000 events",
    own.web,
    ({ firstViewMs, firstViewMb }) => `${msText(firstViewMs)}, ${firstViewMb.toFixed(1)} MB`,
  );
  row("page: first view of a cast's files", own.web, ({ filesMs }) =>
    filesMs === undefined ? "not measured" : msText(filesMs),
  );
  row(
    "page: from the journal to the stream",
    own.web,
    ({ deliveryMs: { p50, p99, most } }) =>
      `${msText(p50)} in the middle, ${msText(p99)} for 99 of 100, ${msText(most)} at most`,
  );
  if (own.page !== undefined) pageRows(own.page, row);
  return tableText([["ours alone", ""], ...rows]);
}

type Row = <T extends object>(what: string, figures: T | string, text: (figures: T) => string) => void;

function pageRows(page: NonNullable<OwnFigures["page"]>, row: Row): void {
  row("browser: list of casts", page, ({ casts, listMs }) => `${msText(listMs)}, ${numberText(casts)} casts`);
  row(
    "browser: a cast",
    page,
    ({ visits, castMs, longestTaskMs }) =>
      `${msText(castMs)}, ${numberText(visits)} visits; longest task while it streams ${msText(longestTaskMs)}`,
  );
  row(
    "browser: the editor",
    page,
    ({ sockets, editorMs, selectMs }) =>
      `${msText(editorMs)}, ${numberText(sockets)} sockets; a selection ${msText(selectMs)}`,
  );
}

function fleetRows({ fleet = "not measured" }: OwnFigures, row: Row): void {
  row(
    "fleet: a step",
    fleet,
    ({ appendMs, unsyncedMs, seenMs: { p50, p99 } }) =>
      `${msText(appendMs)}, ${msText(unsyncedMs)} without the disk; seen after ${msText(p50)} in the middle, ${msText(p99)} for 99 of 100`,
  );
  row(
    "fleet: casts of one visit over 4 workers",
    fleet,
    ({ crowd: { casts, perSecond, lost, repeated } }) =>
      `${numberText(casts)} at ${numberText(perSecond)} a second, ${lost} lost, ${repeated} repeated`,
  );
  row("fleet: kill -9 to the next turn", fleet, ({ takeOverMs }) => msText(takeOverMs));
  row("fleet: 8 items of 1 s, 4 at once, over 2 workers", fleet, ({ itemsMs }) =>
    itemsMs === undefined ? "not measured" : msText(itemsMs),
  );
  row("fleet: casts --on, newest of 100,000", fleet, ({ listMs }) => msText(listMs));
  row("fleet: added to casts without --on", fleet, ({ bystanderMs }) => msText(bystanderMs));
}

function repeatedText({
  firstMs,
  warmMs,
  cpuMs,
  warmUp,
}: {
  firstMs: number;
  warmMs: number;
  cpuMs: number;
  warmUp: number;
}): string {
  return `first ${msText(firstMs)}, after ${warmUp} warm-ups ${msText(warmMs)} (processor ${msText(cpuMs)})`;
}
