import { parseArgs } from "node:util";
import { survey } from "./against/survey.ts";
import { isKind, KINDS } from "./random/kinds.ts";

// More casts than a test has time for: node test/interpreter/run.ts --casts 50000 --seed 1 --shown 5 --kind parallel
const text = { type: "string" } as const;
const { values } = parseArgs({ options: { casts: text, seed: text, shown: text, kind: text } });
const { casts = "3000", seed = "1", shown = "5", kind = "mixed" } = values;
if (!isKind(kind)) throw new Error(`--kind is one of ${KINDS.join(", ")}`);
const { reached, differences, times } = survey(Number(seed), Number(casts), kind, Number(shown));
for (const [fact, number] of [...reached].toSorted(([a], [b]) => a.localeCompare(b))) console.log(`${number}\t${fact}`);
for (const difference of differences) console.log(`\n${difference.aspect}: ${difference.text}`);
for (const [difference, number] of times) console.log(`${number} × ${difference}`);
process.exitCode = times.size > 0 ? 1 : 0;
