import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { COMMANDS } from "../../src/core/command/command-table.ts";
import { scratchFolder } from "../harness/agents.ts";
import { openPiSession, project } from "../harness/pi-session.ts";
import { standardOutput } from "../harness/pi-output.ts";

afterEach(() => {
  process.exitCode = undefined;
});

describe("[X1, YQ8] the same commands as on the command line", () => {
  it("[X63] alone it shows the help, with every command as it is typed here", async () => {
    const pi = await openPiSession({ mode: "tui" });
    await pi.type("/materia");
    const help = await pi.sees(/^materia-answer/);
    for (const { name } of COMMANDS) expect(help).toContain(name);
    expect(help).toContain("/materia casts --json");
    expect(help).toMatch(/In Pi\n +detach +continue the cast/);
    const rows = help.split("\n").map((row) => row.length);
    expect(Math.max(...rows)).toBeLessThanOrEqual(Math.max(rows[0] ?? 0, 100));
    expect(help.replaceAll(/\s+/g, " ")).toContain("medium, high, xhigh or max");
  });

  it.each<[text: string, shown: RegExp]>([
    ["casts", /No casts yet/],
    ["loadout", /● Full-Auto .*bundled/],
    ["materia", /Interactive-Plan/],
    ["materia Build", /^tools: read, bash, edit, write$/m],
    ["grid Planning-Consult", /Interactive-Plan/],
    ["grid --mermaid", /flowchart/],
    ["check", /No errors/],
    ["queue run", /The queue is empty/],
    ["init", /Wrote .pi.pi-materia.json/],
    ["cast --help", /cast \[--loadout NAME\] .*<prompt>/],
    ["loadout --json", /"name": "Full-Auto"/],
  ])("%s", async (text, shown) => {
    const pi = await openPiSession();
    vi.stubEnv("XDG_CONFIG_HOME", join(pi.cwd, "xdg"));
    await pi.type(`/materia ${text}`);
    expect(await pi.sees(/^(info|error)/)).toMatch(shown);
    expect(pi.requests).toEqual([]);
  });

  it("status, show and budget tell of the cast that was run", async () => {
    const pi = await openPiSession({ replies: ["built it"] });
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    await pi.type("/materia status");
    expect(await pi.sees(/^info: ✓ completed/)).toContain("make it");
    await pi.type("/materia show");
    expect(await pi.sees(/^info: Cast/)).toContain("Build (Socket-1)");
    await pi.type("/materia budget");
    expect(await pi.sees(/of \S+ tokens/)).toMatch(/\d+ of/);
  });
});

describe("[X2] answers and refusals", () => {
  it.each<[text: string, code: string]>([
    ["nonsense", "unknown_command"],
    ["cast", "missing_prompt"],
    ["link Build", "missing_delimiter"],
    ["link Nobody -- x", "unknown_target"],
    ["cast --nonsense x", "unknown_option"],
    ["show ../x", "bad_cast_id"],
    ["recast", "missing_cast"],
    ["continue", "missing_cast"],
    ["abort", "missing_cast"],
    ["link --model scripted/none Build -- x", "unknown_model"],
  ])("%s is refused and leaves nothing behind", async (text, code) => {
    const pi = await openPiSession();
    await pi.type(`/materia ${text}`);
    // The level is what Pi writes before it.
    expect(await pi.sees(/^error/)).toMatch(new RegExp(`^error: ${code}: `));
    expect(readdirSync(pi.cwd)).toEqual([]);
    expect(pi.errors).toEqual([]);
  });

  it("an answer never reaches the model", async () => {
    const pi = await openPiSession({ mode: "tui", replies: ["hello"] });
    await pi.type("/materia casts");
    await pi.type("hi");
    expect(pi.requests[0]?.messages).toEqual(["u: hi"]);
  });
});

describe("[X3] without a screen", () => {
  it("a cast is awaited, printed, and its outcome is the exit code", async () => {
    const pi = await openPiSession({ mode: "print", replies: [{ error: "400 no" }] });
    const output = standardOutput();
    await pi.type("/materia link Build -- make it");
    expect(output()).toMatch(/✕ failed {2}Build/);
    expect(process.exitCode).toBe(1);
  });

  it("a refusal is 2 and stands on standard error", async () => {
    const pi = await openPiSession({ mode: "print" });
    const output = standardOutput(2);
    await pi.type("/materia nonsense");
    expect(output()).toContain("unknown_command");
    expect(process.exitCode).toBe(2);
  });

  it("an interactive cast waits, which is 4", async () => {
    const pi = await openPiSession({ mode: "print", replies: ["Plan A"] });
    const output = standardOutput();
    await pi.type("/materia link Interactive-Plan -- plan it");
    expect(output()).toContain("Plan A");
    expect(process.exitCode).toBe(4);
  });

  it("in json mode an answer is one line of JSON", async () => {
    const pi = await openPiSession({ mode: "json" });
    const output = standardOutput();
    await pi.type("/materia check");
    const answer = JSON.parse(output()) as { type: string; data: { loadouts: readonly { name: string }[] } };
    expect(answer.type).toBe("materia");
    expect(answer.data.loadouts.map(({ name }) => name)).toContain("Full-Auto");
  });
});

describe("[X24] trust", () => {
  const config = { loadouts: { Mine: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } } };

  it("what Pi does not trust is not read, and looking says so", async () => {
    const pi = await openPiSession({ cwd: project(config), trusted: false });
    await pi.type("/materia loadout");
    expect(await pi.sees(/^info/)).not.toContain("Mine");
    expect(await pi.sees(/^warning/)).toContain("/trust");
  });

  it("running is refused with the ways to go on", async () => {
    const pi = await openPiSession({ cwd: project(config), trusted: false });
    await pi.type("/materia cast x");
    expect(await pi.sees(/^error/)).toMatch(/untrusted_project[^]*--approve[^]*--config/);
    expect(existsSync(join(pi.cwd, ".pi", "pi-materia"))).toBe(false);
  });

  it.each<[title: string, yes: boolean]>([
    ["[X25] what the person agrees to runs, and is not asked again", true],
    ["[X25] what the person does not agree to is refused", false],
  ])("%s", async (_title, yes) => {
    const pi = await openPiSession({ cwd: project(config), replies: ["one", "two"], confirm: () => yes });
    vi.stubEnv("XDG_CONFIG_HOME", scratchFolder());
    await pi.type("/materia cast --loadout Mine x");
    expect(await pi.sees(yes ? /^materia-result/ : /^error/)).toContain(yes ? "one" : "untrusted_project");
    await pi.type("/materia cast --loadout Mine x");
    await pi.sees(yes ? /^materia-result/ : /^error/);
    expect(pi.shown().filter((text) => text.startsWith("confirm"))).toHaveLength(yes ? 1 : 2);
  });
});
