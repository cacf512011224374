import { measureCasts, measureSync } from "./durability.ts";
import { measureEngine } from "./engine.ts";
import { measureCheck, measureLink } from "./measure/check.ts";
import { measureKilled } from "./measure/killed.ts";
import { measurePrevious } from "./measure/previous.ts";
import { measurePrompts } from "./measure/prompts.ts";
import { measureRehearsal } from "./measure/rehearsal.ts";
import { measureImport, measureStartUp } from "./measure/start-up.ts";
import { measureWebServer } from "./web-server.ts";

/** One measurement of ours: `node bench/child.ts NAME NUMBER…` answers with one line of JSON. */
const MEASURES: Readonly<Record<string, (...numbers: readonly number[]) => unknown>> = {
  engine: (steps = 1_000) => measureEngine(steps),
  check: (sockets = 5_000) => measureCheck(sockets),
  link: (loadouts = 20, sockets = 250) => measureLink(loadouts, sockets),
  prompts: (items = 1_000) => measurePrompts(items),
  previous: (visits = 10_000) => measurePrevious(visits),
  rehearsal: (turns = 60) => measureRehearsal(turns),
  killed: (steps = 5_000, rounds = 7) => measureKilled(steps, rounds),
  startUp: (rounds = 7) => measureStartUp(rounds),
  import: (rounds = 7) => measureImport(rounds).then((ms) => ({ ms })),
  casts: (casts = 2_000) => measureCasts(casts),
  sync: (steps = 300) => measureSync(steps),
  web: () => measureWebServer(),
};

const [name = "", ...numbers] = process.argv.slice(2);
const measure = MEASURES[name];
if (!measure) throw new Error(`nothing is measured under "${name}"`);
process.stdout.write(`${JSON.stringify(await measure(...numbers.map(Number)))}\n`);
process.exit(0);
