import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { completeCommand } from "../../src/apps/pi/completion.ts";
import { watchProjectCasts } from "../../src/apps/pi/casts/other-casts.ts";
import { commandRow } from "../../src/core/command/command-table.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { openPiSession, type PiSession } from "../harness/pi-session.ts";

describe("[X26] what Pi's start loads", () => {
  it("is the registration and how a card is drawn", () => {
    const entry = resolve(import.meta.dirname, "../../src/apps/pi/extension.ts");
    const root = resolve(import.meta.dirname, "../../src");
    expect(
      staticImports(entry)
        .map((file) => file.slice(root.length + 1))
        .toSorted(),
    ).toEqual([
      "apps/pi/extension.ts",
      "apps/pi/register.ts",
      "apps/pi/screen/card.ts",
      "apps/pi/session/user-session.ts",
      "core/model/text.ts",
      "core/view/line.ts",
    ]);
  });
});

describe("[X27] the greeting", () => {
  it("names a cast that waits, with the command that goes on with it", async () => {
    const pi = await openPiSession({ replies: ["Plan A"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    await pi.leave("quit");
    const later = await openPiSession({ cwd: pi.cwd });
    expect(await later.sees(/^info/)).toMatch(/“plan it” waits for you: .*\/materia continue \S+$/);
  });

  it("names no cast that is over, and none that this session started while the others were read", async () => {
    const first = await openPiSession({ replies: ["built", "Plan A"] });
    await first.type("/materia link Build -- make it");
    await first.sees(/^materia-result/);
    await first.type("/materia link Interactive-Plan -- plan it");
    await first.sees(/waits for you/);
    await first.leave("quit");
    const { cwd } = first;
    const pi = await openPiSession({ cwd, replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Build --anyway -- a hut");
    await asked;
    const ids = await fileStore(join(cwd, ".pi", "pi-materia")).listIds();
    const seen = new Map<string, number>();
    const { promise: greeting, resolve: notify } = Promise.withResolvers<string>();
    const ctx: ExtensionContext = Object.create(contextOf(pi), {
      ui: { value: { notify, setStatus: () => undefined } },
    });
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const stop = watchProjectCasts({ pi: PI_WITHOUT_EVENTS, ctx }, { seen, onContinued: () => undefined });
    onTestFinished(stop);
    vi.advanceTimersByTime(1000);
    vi.useRealTimers();
    seen.set(ids.ok ? (ids.value[0] ?? "") : "", Infinity);
    expect(await greeting).toMatch(/^The cast “plan it” waits for you: .*$/);
    await pi.type("/materia abort");
    await pi.sees(/^materia-result/);
  });
});

describe("[X28] completion", () => {
  it.each<[typed: string, offered: readonly string[] | null]>([
    ["li", ["link "]],
    ["c", ["cast ", "casts ", "continue ", "check ", "compare ", "completion "]],
    ["cast", null],
    ["status", null],
    ["xyz", null],
    ["link loadout:Pl", ["link loadout:Planning-Consult "]],
    ["link Plan", ["link Planning-Consult ", "link Planner "]],
    ["link materia:Bu", ["link materia:Build "]],
    ["link Planner -", ["link Planner -- "]],
    ["link Planner -- B", null],
    ["cast --lo", ["cast --loadout "]],
    ["cast --loadout Full", ["cast --loadout Full-Auto "]],
    ["cast --model scripted/f", ["cast --model scripted/first "]],
    ["loadout H", ["loadout Hojo-Consult "]],
    ["materia Nar", ["materia Narrate "]],
    ["help lo", ["help loadout"]],
    ["cast build the B", null],
  ])("%s", async (typed, offered) => {
    const pi = await openPiSession();
    expect((await completeCommand(typed, contextOf(pi)))?.map(({ value }) => value) ?? null).toEqual(offered);
  });

  // Pi gives the words of a list 32 columns, its pointer 2, and keeps 2 free.
  it.each([100, 60])("what a command does ends with a whole word in %i columns", async (columns) => {
    const { columns: before } = process.stdout;
    onTestFinished(() => void (process.stdout.columns = before));
    process.stdout.columns = columns;
    const shown = (await completeCommand("", contextOf(await openPiSession()))) ?? [];
    expect(shown.length).toBeGreaterThan(20);
    for (const { label, description = "" } of shown) {
      expect(visibleWidth(description)).toBeLessThanOrEqual(columns - 36);
      expect(`${commandRow(label)?.does ?? description} `).toContain(description.replace(/ ?…$/, " "));
    }
  });

  it("offers the casts that a command can use", async () => {
    const pi = await openPiSession({ replies: ["built"] });
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    const shown = await completeCommand("show ", contextOf(pi));
    expect(shown).toMatchObject([{ value: expect.stringMatching(/^show \d{8}-/), description: "completed: make it" }]);
    expect(await completeCommand("recast ", contextOf(pi))).toBeNull();
  });
});

function contextOf({ session }: PiSession) {
  return session.extensionRunner.createContext();
}

const PI_WITHOUT_EVENTS = { on: () => () => undefined } as unknown as ExtensionAPI; // no more of it is used

/** The files that a module loads with itself, those of this repository. */
function staticImports(file: string, seen: readonly string[] = []): readonly string[] {
  if (seen.includes(file)) return seen;
  const text = readFileSync(file, "utf8");
  const paths = [...text.matchAll(/^import (?!type )[^;]*? from "(\.[^"]+)";$/gms)].map(([, path = ""]) => path);
  return paths.reduce<readonly string[]>((all, path) => staticImports(join(dirname(file), path), all), [...seen, file]);
}
