// Many casts on a fleet of this machine whose workers are killed and paused and whose database is restarted:
// npm run chaos:fleet -- --casts 200 --faults 40 --seed 7
import { parseArgs } from "node:util";
import { fleetStorm } from "../test/harness/fleet/storm/storm.ts";

const { values } = parseArgs({
  options: {
    casts: { type: "string", default: "60" },
    workers: { type: "string", default: "4" },
    faults: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "30" },
  },
});
const report = await fleetStorm({
  seed: Number(values.seed),
  casts: Number(values.casts),
  workers: Number(values.workers),
  faults: Number(values.faults),
  signal: AbortSignal.timeout(Number(values.minutes) * 60_000),
  say: (line) => console.error(line),
});
console.log(JSON.stringify(report, undefined, 1));
process.exit(report.problems.length > 0 ? 1 : 0);
