// Many real casts through kills, pauses, wrong clocks, full disks and flipped bits: node scripts/chaos.ts --casts 300 --seed 7
import { parseArgs } from "node:util";
import { chaos } from "../test/harness/chaos/chaos.ts";

const { values } = parseArgs({
  options: {
    casts: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    at: { type: "string", default: "2" },
  },
});
const [casts, first, atOnce] = [Number(values.casts), Number(values.seed), Number(values.at)];
const seeds = Array.from({ length: casts }, (_, index) => first + index);
const faults = new Map<string, number>();
let bad = 0;

async function work(): Promise<void> {
  for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
    const { lives, problems } = await chaos(seed);
    for (const fault of lives) faults.set(fault, (faults.get(fault) ?? 0) + 1);
    if (problems.length === 0) continue;
    bad += 1;
    console.log(`seed ${seed} (${lives.join(", ")}):\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
}

await Promise.all(Array.from({ length: atOnce }, work));
console.log(
  `${casts} casts from seed ${first}, ${bad} with problems; lives: ${JSON.stringify(Object.fromEntries(faults))}`,
);
process.exitCode = bad > 0 ? 1 : 0;
