import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { listCasts } from "../harness/journals.ts";
import { openPiSession } from "../harness/pi-session.ts";

it("[X13] a screen that fails before the cast runs leaves nothing in hand", async () => {
  const pi = await openPiSession({ mode: "tui", keyFault: "no keys today" });
  await pi.type("/materia link Build -- one");
  expect(await pi.sees(/^error/)).toContain("no keys today");
  expect(pi.shown().findLast((text) => text.startsWith("widget"))).toBe("widget: ");
  await pi.type("/materia link Build -- two");
  expect(await pi.sees(/^error/)).toContain("no keys today");
  expect(await listCasts(join(pi.cwd, ".pi", "pi-materia"))).toEqual([]);
  expect(pi.errors).toEqual([]);
});

it("[X13] a completion that fails offers nothing: Pi would end", async () => {
  const pi = await openPiSession({ mode: "tui" });
  const command = pi.session.extensionRunner.getCommand("materia");
  const complete = async (): Promise<unknown> => command?.getArgumentCompletions?.("cast --model ");
  expect(await complete()).not.toBeNull();
  vi.spyOn(pi.session.extensionRunner.createContext().modelRegistry, "getAvailable").mockImplementation(() => {
    throw new Error("no models today");
  });
  expect(await complete()).toBeNull();
});
