import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { programsOf, unavailableTools } from "../../src/shell/agents/search-programs.ts";

function folderWith(...programs: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "materia-programs-"));
  mkdirSync(join(folder, "bin"));
  for (const program of programs) writeFileSync(join(folder, "bin", program), "");
  return folder;
}

it("[A32] a tool without its program is unavailable only where Pi may not fetch it", () => {
  const [none, some] = [folderWith(), folderWith("rg", "fdfind")];
  const at = (agent: string, path: string, offline?: string) =>
    unavailableTools({ PI_CODING_AGENT_DIR: agent, PATH: join(path, "bin"), PI_OFFLINE: offline });
  expect(at(none, none, "1")).toEqual(["grep", "find"]);
  expect(at(none, none, "yes")).toEqual(["grep", "find"]);
  expect([at(none, none), at(none, none, "0"), at(some, none, "1"), at(none, some, "true")]).toEqual([[], [], [], []]);
  expect(at(none, folderWith("rg"), "1")).toEqual(["find"]);
  expect(programsOf(["grep", "find"])).toEqual(["rg", "fd"]);
});
