import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openInBrowser } from "../../src/apps/cli/ui.ts";
import { scratchFolder } from "../harness/agents.ts";
import { fullDisk, withCalls } from "../harness/faulty-disk.ts";
import { until } from "../harness/utility.ts";

const URL = `http://127.0.0.1:1/?token=a&b="<'>"`;

/** Puts a program of this name first on the path; what it was called with, once it was. */
function opener(name: string): () => Promise<readonly string[]> {
  const folder = scratchFolder();
  const called = join(folder, "called");
  writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$@" > ${called}.part && mv ${called}.part ${called}\n`);
  chmodSync(join(folder, name), 0o755);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
  return async () => {
    await until(() => existsSync(called), "it was never called");
    return readFileSync(called, "utf8").trim().split("\n");
  };
}

describe.skipIf(process.platform === "win32")("the openers of systems", () => {
  it.each<[platform: NodeJS.Platform, program: string, before: readonly string[]]>([
    ["linux", "xdg-open", []],
    ["freebsd", "xdg-open", []],
    ["darwin", "open", []],
    ["win32", "rundll32", ["url.dll,FileProtocolHandler"]],
  ])(
    "[N29] on %s the opener %s gets a file of this user's alone, never the address",
    async (platform, name, before) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const called = opener(name);
      const { problem, removeFile: forget } = await openInBrowser(URL, platform);
      const told = await called();
      const file = told.at(-1) ?? "";
      expect([problem, told]).toEqual([undefined, [...before, file]]);
      expect([dirname(dirname(file)), statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([
        tmpdir(),
        0o600,
        0o700,
      ]);
      const address = "http://127.0.0.1:1/?token=a&#38;b=&#34;&#60;&#39;&#62;&#34;";
      expect(readFileSync(file, "utf8")).toContain(`url=${address}">`);
      expect(readFileSync(file, "utf8")).toContain(`<a href="${address}">`);
      await vi.advanceTimersByTimeAsync(59_999);
      expect(existsSync(file)).toBe(true);
      await vi.advanceTimersByTimeAsync(1);
      expect(existsSync(dirname(file))).toBe(false);
      forget();
    },
  );
});

it("[N29] where there is no opener, or no room, that is reported and nothing stays", async () => {
  const [made, empty]: [string[], string] = [[], scratchFolder()];
  const watched = withCalls(({ mkdtempSync }) => ({
    mkdtempSync: ((prefix: string) => made.push(mkdtempSync(prefix)) && made.at(-1)) as typeof mkdtempSync, // of texts
  }));
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", empty);
  const none = await openInBrowser(URL, "linux");
  expect(none.problem).toBe("there is no such file or folder (ENOENT)");
  const fail = (): never => {
    throw fullDisk();
  };
  const half = withCalls(() => ({ writeFileSync: fail }));
  const full = await openInBrowser(URL, "linux");
  half();
  expect(full.problem).toBe("the disk is full (ENOSPC)");
  for (const { removeFile: forget } of [none, full]) forget();
  watched();
  expect(made.map((folder) => existsSync(folder))).toEqual([false, false]);
  withCalls(() => ({ mkdtempSync: fail }));
  const nowhere = await openInBrowser(URL, "linux");
  nowhere.removeFile();
  expect(nowhere.problem).toBe("the disk is full (ENOSPC)");
});
