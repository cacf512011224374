import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { scratchFolder } from "../harness/agents.ts";
import { listCasts } from "../harness/journals.ts";
import { standardOutput } from "../harness/pi-output.ts";
import { openPiSession, type PiSession, type PiSetting } from "../harness/pi-session.ts";

afterEach(() => {
  process.exitCode = undefined;
});

/** A session in a project with a stopped cast of somebody else. */
async function withForeign(setting: PiSetting): Promise<{ readonly pi: PiSession; readonly castId: string }> {
  const cwd = scratchFolder();
  const first = await openPiSession({ cwd, replies: [{ error: "400 no" }] });
  await first.type("/materia link Build -- make it");
  await first.sees(/^materia-result/);
  await first.leave("quit");
  const [cast] = await listCasts(join(cwd, ".pi", "pi-materia"));
  const pi = await openPiSession({ ...setting, cwd });
  // Another user, to whom the cast came with the project.
  vi.stubEnv("XDG_CONFIG_HOME", scratchFolder());
  return { pi, castId: cast?.castId ?? "" };
}

it.each<[title: string, yes: boolean]>([
  ["[S15] a foreign cast that the person trusts continues, without a second question", true],
  ["[S15] a foreign cast that the person does not trust is refused", false],
])("%s", async (_title, yes) => {
  const asked: string[] = [];
  const confirm = (_: string, message: string): boolean => {
    asked.push(message);
    return yes;
  };
  const { pi, castId } = await withForeign({ confirm, replies: [{ error: "400 no" }, "built"] });
  await pi.type(`/materia recast ${castId}`);
  await pi.sees(yes ? /^materia-result/ : /^error: .*foreign_cast/s);
  await pi.type(`/materia recast ${castId}`);
  await pi.sees(yes ? /^materia-result/ : /^error: .*foreign_cast/s);
  expect(asked).toHaveLength(yes ? 1 : 2);
  expect(asked[0]).toMatch(/started elsewhere.*the agent Build \(tools: /s);
});

it("[S14] without its id there is no question about it", async () => {
  const { pi } = await withForeign({ confirm: () => true });
  await pi.type("/materia recast");
  await pi.sees(/^error: .*foreign_cast/s);
  expect(pi.shown().filter((text) => text.startsWith("confirm"))).toEqual([]);
});

it("[S14] without a person it is refused with a fix", async () => {
  const { pi, castId } = await withForeign({ mode: "print" });
  const said = standardOutput(2);
  await pi.type(`/materia recast ${castId}`);
  expect(said()).toMatch(/foreign_cast[^]*--trust/);
  expect(pi.requests).toEqual([]);
});
