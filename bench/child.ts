/**
 * One measurement of ours: `node bench/child.ts NAME NUMBER…` answers with one line of JSON.
 * Each imports what it measures and nothing else, or its memory would be that of all.
 */
const MEASURES: Readonly<Record<string, (...numbers: readonly number[]) => Promise<unknown>>> = {
  engine: async (steps = 1_000, rounds = 3) => (await import("./measure/engine.ts")).measureEngines(steps, rounds),
  check: async (sockets = 5_000) => (await import("./measure/check.ts")).measureCheck(sockets),
  link: async (loadouts = 20, sockets = 250) => (await import("./measure/check.ts")).measureLink(loadouts, sockets),
  prompts: async (items = 1_000) => (await import("./measure/prompts.ts")).measurePrompts(items),
  requests: async () => (await import("./measure/requests.ts")).measureRequests(),
  previous: async (visits = 10_000) => (await import("./measure/previous.ts")).measurePrevious(visits),
  disk: async (items = 400) => (await import("./measure/previous.ts")).measureDisk(items),
  rehearsal: async (turns = 60) => (await import("./measure/rehearsal.ts")).measureRehearsal(turns),
  killed: async (steps = 5_000, rounds = 7) => (await import("./measure/killed.ts")).measureKilled(steps, rounds),
  startUp: async (rounds = 7) => (await import("./measure/start-up.ts")).measureStartUp(rounds),
  import: async (rounds = 7) => (await import("./measure/start-up.ts")).measureImport(rounds),
  casts: async (casts = 2_000) => (await import("./durability.ts")).measureCasts(casts),
  inbox: async (projects = 50, casts = 2_000, unseen = 100) =>
    (await import("./measure/inbox.ts")).measureInbox(projects, casts, unseen),
  many: async (casts = 10_000, events = 1_000_000) =>
    (await import("./measure/many-casts.ts")).measureManyCasts(casts, events),
  status: async (events = 100_000, rounds = 5) => (await import("./measure/status.ts")).measureStatus(events, rounds),
  sync: async (steps = 2_000) => (await import("./durability.ts")).measureSync(steps),
  checkpoints: async (files = 200, rounds = 7) =>
    (await import("./measure/checkpoints.ts")).measureCheckpoints(files, rounds),
  parallel: async (files = 200, rounds = 3) => (await import("./measure/parallel.ts")).measureParallel(files, rounds),
  apart: async (files = 5_000, rounds = 3) => (await import("./measure/apart.ts")).measureApart(files, rounds),
  outside: async (events = 10_000, rounds = 7) => (await import("./measure/outside.ts")).measureOutside(events, rounds),
  testing: async (tests = 100, replayed = 200, kept = 2_000) =>
    (await import("./measure/testing.ts")).measureTesting(tests, replayed, kept),
  fleet: async (casts = 1_000, rounds = 3) => (await import("./measure/fleet/fleet.ts")).measureFleet(casts, rounds),
  web: async () => (await import("./web-server.ts")).measureWebServer(),
  page: async () => (await import("./page.ts")).measurePage(),
};

const [name = "", ...numbers] = process.argv.slice(2);
const measure = MEASURES[name];
if (!measure) throw new Error(`nothing is measured under "${name}"`);
process.stdout.write(`${JSON.stringify(await measure(...numbers.map(Number)))}\n`);
process.exit(0);
