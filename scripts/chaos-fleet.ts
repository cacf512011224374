// Many casts on a fleet of this machine whose workers are killed, paused, cut off and out of disk, whose database is restarted
// and which a hostile member attacks: npm run chaos:fleet -- --casts 200 --faults 40 --seed 7
// All of it: npm run chaos:fleet -- --casts 200 --workers 4 --kills 60 --restarts 15 --cuts 40 --full 20 --minutes 120
import { parseArgs } from "node:util";
import { fleetStorm } from "../test/harness/fleet/storm/storm.ts";

const { values } = parseArgs({
  options: {
    casts: { type: "string", default: "60" },
    workers: { type: "string", default: "4" },
    faults: { type: "string", default: "20" },
    kills: { type: "string" },
    restarts: { type: "string", default: "0" },
    cuts: { type: "string", default: "0" },
    full: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "30" },
  },
});
const restarts = Number(values.restarts);
const chosen = {
  kill: Number(values.kills),
  "restart immediate": Math.ceil(restarts / 2),
  "restart fast": Math.floor(restarts / 2),
  cut: Number(values.cuts),
  "full disk": Number(values.full),
};
const report = await fleetStorm({
  seed: Number(values.seed),
  casts: Number(values.casts),
  workers: Number(values.workers),
  faults: values.kills === undefined ? Number(values.faults) : chosen,
  hostile: true,
  signal: AbortSignal.timeout(Number(values.minutes) * 60_000),
  say: (line) => console.error(line),
});
console.log(JSON.stringify(report, undefined, 1));
process.exit(report.problems.length > 0 ? 1 : 0);
