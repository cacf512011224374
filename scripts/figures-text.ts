import { readFileSync } from "node:fs";
import { BILLED_BEFORE } from "../bench/measure/request-scripts.ts";

interface Run {
  readonly stepsPerSecond: number;
  readonly cpuMicros: number;
  readonly peakMb: number;
  readonly stored: number;
  readonly written: number;
}

interface Contender {
  readonly name: string;
  /** A sentence where it could not be measured. */
  readonly short: Run | string;
  readonly long: Run | string;
  readonly resume?: { readonly ms: number | null; readonly again: number | null } | string;
}

interface RequestCounts {
  readonly requests: number;
  readonly tokens: number;
  readonly billed: number;
}

interface Results {
  readonly machine: {
    readonly date: string;
    readonly cores: number;
    readonly node: string;
    readonly load: { readonly before: number };
  };
  readonly contenders: readonly Contender[];
  /** Absent in results of earlier benchmarks. */
  readonly first?: Pick<Contender, "short" | "long">;
  readonly own: {
    readonly check: Readonly<Record<string, { readonly warmMs: number }>>;
    readonly requests?: Readonly<Record<string, RequestCounts>>;
    readonly prompts: { readonly growth: number; readonly repeatedOverall: number };
  };
}

const BEGIN = "<!-- figures of bench/results.json -->";
const END = "<!-- end of figures -->";

/** The pages that have figures, and their texts as the last benchmark run gives them. */
export function pagesWithFigures(): readonly { readonly file: URL; readonly text: string }[] {
  const results = JSON.parse(readFileSync(new URL("../bench/results.json", import.meta.url), "utf8")) as Results;
  return [
    { name: "../README.md", figures: figuresInOneLine(results) },
    { name: "../docs/benchmark.md", figures: allFigures(results) },
  ].map(({ name, figures }) => {
    const file = new URL(name, import.meta.url);
    const page = readFileSync(file, "utf8");
    const from = page.indexOf(BEGIN) + BEGIN.length;
    return { file, text: `${page.slice(0, from)}\n\n${figures}\n\n${page.slice(page.indexOf(END))}` };
  });
}

function figuresInOneLine({ contenders }: Results): string {
  const [ours, ...others] = contenders.flatMap(({ name, long }) =>
    typeof long === "string" || name.startsWith("floor") ? [] : [{ name, speed: count(long.stepsPerSecond) }],
  );
  const peers = others.map(({ name, speed }) => `${name} ${speed}`).join("; ");
  return `Measured at 10,000 steps that each survive \`kill -9\`: **${ours?.speed} steps a second**; ${peers}. [All figures](docs/benchmark.md); \`npm run bench\` repeats them.`;
}

function allFigures(results: Results): string {
  const { machine, own } = results;
  const checked = own.check["5000"]?.warmMs ?? 0;
  return [
    "| engine | steps a second, 1,000 → 10,000 steps | memory | stored | written | resume at 5,000: first new step, steps run again |",
    "|---|---|---|---|---|---|",
    ...results.contenders.flatMap((each, index) => [row(each), ...(index === 0 ? firstRow(results.first) : [])]),
    "",
    `Measured on ${machine.date}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load.before.toFixed(1)} at the start. Your figures will differ; the order hardly changes.`,
    ...costText(results),
    `In the same run: 5,000 sockets are read and checked, worst case included, in ${checked.toFixed(0)} ms once warm. A prompt at item 1,000 is ${percent(own.prompts.growth - 1, 1)} longer than at item 1,`,
    `and ${percent(own.prompts.repeatedOverall, 0)} of its request repeats the beginning of the previous one, which a provider's cache can reuse.`,
    ...Object.entries(own.requests ?? {}).map(
      ([name, { requests, tokens, billed }]) =>
        `A scripted cast of \`${name}\` sends ${requests} requests with ${count(tokens)} tokens; with a cache that bills a repeated beginning at a tenth, ${count(billed)}: ${percent(billed / (BILLED_BEFORE[name] ?? NaN), 0)} of commit 5a6c1506. No machine changes this.`,
    ),
  ].join("\n");
}

function row({ name, short, long, resume }: Contender): string {
  const shown = name === "pi-materia" ? `**${name}**` : name;
  const missing = [short, long].filter((run) => typeof run === "string").join("; ");
  if (typeof long === "string" || typeof short === "string") return `| ${shown} | ${missing} | | | | |`;
  const speed = `${count(short.stepsPerSecond)} → ${count(long.stepsPerSecond)}`;
  const resumed = resume === undefined ? "not measured" : resumedText(resume);
  return `| ${shown} | ${speed} | ${count(long.peakMb)} MB | ${bytes(long.stored)} | ${bytes(long.written)} | ${resumed} |`;
}

function resumedText(resume: NonNullable<Contender["resume"]>): string {
  if (typeof resume === "string" || resume.ms === null) return "did not resume";
  return `${resume.ms.toFixed(0)} ms, ${resume.again}`;
}

function firstRow(first: Results["first"]): readonly string[] {
  return first && typeof first.long !== "string" ? [row({ ...first, name: FIRST })] : [];
}

const FIRST = "pi-materia 0.1.0, the first release";

/** What a step costs now and in the first release. */
function costText({ contenders, first }: Results): readonly string[] {
  const ours = contenders[0]?.long;
  if (!ours || typeof ours === "string" || !first || typeof first.long === "string") return [];
  const [now, then] = [ours.cpuMicros, first.long.cpuMicros];
  return [
    `A step takes ${now.toFixed(0)} µs of processor time, ${(now / then).toFixed(2)} times that of the first release, run in turns.`,
  ];
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function bytes(value: number): string {
  return value < 1e9 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e9).toFixed(1)} GB`;
}

function percent(share: number, digits: number): string {
  return `${(100 * share).toFixed(digits)} %`;
}
