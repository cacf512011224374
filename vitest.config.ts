import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration as ProjectConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Tests that start programs: git, a shell, the utilities, Pi, Postgres, `materia` itself. A unit test that starts one fails
 * and says so. They are one project: those that wait for a worker or for Pi leave the cores to those that do not.
 */
const PROCESS = [
  "test/ci/{action,templates}.test.ts",
  "test/cli/{agents,bundled,cast,catalog,completion,demo,demo-parallel,doctor,extension-questions,figures,folders,foreign,gates,help,hostile}.test.ts",
  "test/cli/{lifecycle,naming,older,outcomes,pipe,planted,planted-tests,refusals,show,terminal,test-command,trust,two-casts}.test.ts",
  "test/contract/{agents,agents-ended,agents-secrets,agents-visit,utility,your-pi-sandbox,utility-ended,utility-gate}.test.ts",
  "test/docs/{code-blocks,json}.test.ts",
  "test/inbox/at-once.test.ts",
  "test/queue/*.test.ts",
  "test/e2e-pi/**",
  "test/fleet/!(health|migration-file|pairs|remotes|times).test.ts",
  "test/durability/{chaos,crash-sweep,demo-sweep,drivers,effects,full-disk,fuzz,kill,moved,owner,strangers,synced,turn-limits}.test.ts",
  "test/files/{casts,fencing,ownership,planted-casts}.test.ts",
  "test/git/**",
  "test/trees/**",
  "test/link/{bad-input,previous,seen,text}.test.ts",
  "test/mcp/**",
  "test/package/link-command.test.ts",
  "test/package/tarball.test.ts",
  "test/parallel/{again,calls,face,git,join,keep,killed,lanes,lost-trees,moved,planted-inside,pool,replayed,shared-parts,show,unruly}.test.ts",
  "test/pi/{agents,cards,casting,messages,rework-limit}.test.ts",
  "test/providers/asleep.test.ts",
  "test/testing/fork.test.ts",
  "test/testing/fork-start.test.ts",
  "test/utilities/**",
  "test/webserver/{casts-stream,changes,commands,foreign,open-browser,streams,ui}.test.ts",
];
/** Tests in a real browser. */
const BROWSER = ["test/webui/!(markdown).test.ts"];

/** Short files of long tests. Vitest begins with large files, and all would wait for one of these at the end. */
const FIRST = ["test/fleet/chaos.test.ts", "test/queue/evening.test.ts", "test/durability/demo-sweep.test.ts"];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of vitest, not of an array
    const sorted = await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification): boolean => FIRST.some((path) => moduleId.endsWith(path));
    // Files of one project stay together: they share workers.
    return [...Map.groupBy(sorted, ({ project }) => project.name).values()].flatMap((each) => [
      ...each.filter(isFirst),
      ...each.filter((file) => !isFirst(file)),
    ]);
  }
}

/** Each worker loads the modules for itself, and tests that wait for nothing leave no core idle. */
const UNIT_WORKERS = availableParallelism() + 1;
/** Most other tests wait for a process, a browser or a database, so that one worker per core leaves the cores idle. */
const OTHER_WORKERS = availableParallelism() + 6;

const GLOBAL_SETUP = ["test/scratch-folder.ts"];

const tests = (patterns: readonly string[]): string[] =>
  patterns.map((pattern) => pattern.replace(/\*\*$/, "**/*.test.ts"));

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      project("unit", ["test/**"], {
        exclude: tests([...PROCESS, ...BROWSER]),
        setupFiles: ["test/setup.ts", "test/no-processes.ts"],
        maxWorkers: UNIT_WORKERS,
        sequence: { groupOrder: 0 },
      }),
      // To start a program costs more, the more memory its parent has: these tests take 6 to 8 % less with little.
      project("process", PROCESS, { execArgv: ["--max-semi-space-size=1"] }),
      project("browser", BROWSER, { globalSetup: [...GLOBAL_SETUP, "test/webui/browser-setup.ts"] }),
    ],
  },
});

function project(name: string, include: readonly string[], more: ProjectConfig["test"] = {}): ProjectConfig {
  return {
    test: {
      name,
      include: tests(include),
      tags: [{ name: "sweep", description: "npm test runs a sample of it, npm run test:full the rest" }],
      globalSetup: GLOBAL_SETUP,
      setupFiles: ["test/setup.ts"],
      maxWorkers: OTHER_WORKERS,
      // Behind the unit tests: only projects with as many workers can run at once.
      sequence: { groupOrder: 1 },
      // Modules are loaded once for all files that a worker runs.
      isolate: false,
      // A guard against what hangs, never a measure: a busy machine is slow, not wrong.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 120_000 } },
      ...more,
    },
  };
}
