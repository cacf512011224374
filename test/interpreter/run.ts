import { parseArgs } from "node:util";
import { survey } from "./against/survey.ts";

// More casts than a test has time for: node test/interpreter/run.ts --casts 50000 --seed 1 --shown 5 [--parallel]
const text = { type: "string" } as const;
const { values } = parseArgs({ options: { casts: text, seed: text, shown: text, parallel: { type: "boolean" } } });
const { reached, differences, times } = survey(Number(values.seed ?? 1), Number(values.casts ?? 3000), {
  shown: Number(values.shown ?? 5),
  parallel: values.parallel ?? false,
});
for (const [kind, number] of [...reached].toSorted(([a], [b]) => a.localeCompare(b))) console.log(`${number}\t${kind}`);
for (const difference of differences) console.log(`\n${difference.aspect}: ${difference.text}`);
for (const [kind, number] of times) console.log(`${number} × ${kind}`);
process.exitCode = times.size > 0 ? 1 : 0;
