import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadPi, systemPromptFor } from "../../src/shell/agents/pi-sdk.ts";
import { setToolsUser } from "../../src/shell/process/tools-user.ts";
import { piFolder, scratchFolder } from "../harness/agents.ts";

it("[B64] linked instructions are not read when tools run as another user", async () => {
  piFolder({});
  const cwd = scratchFolder();
  const file = join(cwd, "AGENTS.md");
  writeFileSync(join(cwd, "secret.txt"), "readable by root alone");
  symlinkSync(join(cwd, "secret.txt"), file);
  const pi = await loadPi();
  const system = (): string => systemPromptFor(pi, { system: "You build.", instructions: "project", cwd });
  expect(system()).toContain("readable by root alone");
  setToolsUser({ name: "nobody", uid: 65_534, gid: 65_534, home: "/" });
  expect(system()).toBe("You build.");
  rmSync(file);
  writeFileSync(file, "Use tabs.");
  expect(system()).toContain("Use tabs.");
});
