import type { Contender } from "./figures.ts";
import { numberText } from "./text.ts";

const LINE = 34;
const LEFT = 300;
const WIDTH = 860;
const BAR = 430;

/** Steps a second of the long run as bars on a logarithmic scale; readable on light and dark ground. */
export function resultsSvg(contenders: readonly Contender[], steps: number): string {
  const rows = contenders.flatMap(({ name, isEngine, long }, index) =>
    typeof long === "string"
      ? []
      : [{ name, rate: long.stepsPerSecond, tone: index === 0 ? "ours" : isEngine ? "peer" : "floor" }],
  );
  const sorted = rows.toSorted((a, b) => b.rate - a.rate);
  const most = Math.max(...sorted.map(({ rate }) => rate), 1_000);
  const decades = Array.from({ length: Math.ceil(Math.log10(most)) }, (_, index) => 10 ** (index + 1));
  const scale = (rate: number): number => (Math.log10(Math.max(rate, 1)) / Math.log10(decades.at(-1) ?? 10)) * BAR;
  const height = 70 + sorted.length * LINE + 34;
  const bars = sorted.map(({ name, rate, tone }, index) => {
    const y = 58 + index * LINE;
    const width = scale(rate).toFixed(1);
    return `  <text x="${LEFT - 12}" y="${y + 16}" text-anchor="end">${escaped(name)}</text>
  <rect class="${tone}" x="${LEFT}" y="${y}" width="${width}" height="22" rx="3"/>
  <text class="figure" x="${LEFT + Number(width) + 8}" y="${y + 16}">${numberText(rate)}</text>`;
  });
  const grid = decades.map((decade) => {
    const x = (LEFT + scale(decade)).toFixed(1);
    return `  <path class="grid" d="M${x} 50V${height - 34}"/>
  <text class="axis" x="${x}" y="${height - 16}" text-anchor="middle">${numberText(decade)}</text>`;
  });
  const title = `Steps a second, each one durable, over ${numberText(steps)} steps`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2933; }
    .title { font-size: 16px; font-weight: 600; }
    .axis { font-size: 11px; fill: #616e7c; }
    .figure { font-weight: 600; }
    .grid { stroke: #9aa5b1; stroke-opacity: .35; }
    .ours { fill: #1f8a5b; }
    .peer { fill: #7b8794; }
    .floor { fill: none; stroke: #7b8794; stroke-dasharray: 4 3; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e4e7eb; }
      .axis { fill: #9aa5b1; }
      .ours { fill: #3fbf86; }
    }
  </style>
  <text class="title" x="16" y="28">${title} (logarithmic)</text>
${[...grid, ...bars].join("\n")}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
