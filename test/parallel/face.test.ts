import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { castsIn, journalOf, run } from "../harness/cli.ts";
import { openTerminal } from "../harness/terminal.ts";
import { workshopPlace } from "./harness/place.ts";

const NEVER = { text: "never said", delayMs: 3_600_000 };

it("[V15] in a terminal each item at work has a row, also for who watches from another, nothing of the visit before stays, and Ctrl-C ends all of them", async () => {
  const cwd = workshopPlace({ "Build@WI-1": [NEVER], "Build@WI-2": [NEVER], "Build@WI-3": [NEVER] });
  const terminal = openTerminal(["cast", "--trust", "--rehearse", "replies.json", "do it"], cwd);
  const board = await terminal.until("Loop each  3 items at work", /▸ WI-1 Build .* a/, /▸ WI-3 Build .* c/);
  expect(board).not.toContain("workItems");
  const other = openTerminal(["watch"], cwd);
  await other.until("Loop each  3 items at work", /▸ WI-1 Build .* a/, /▸ WI-2 Build .* b/, /▸ WI-3 Build .* c/);
  terminal.type("\u0003");
  expect(await terminal.exited).toBe(130);
  expect(await other.exited).toBe(130);
  const [castId = ""] = castsIn(cwd);
  expect(journalOf(cwd, castId).at(-1)).toMatchObject({ type: "cast_ended", outcome: "aborted" });
});

it("[V1] a number of lanes that is none is refused with its place, and nothing is begun", async () => {
  const cwd = workshopPlace({}, { loops: { each: { sockets: ["Socket-2"], parallel: 0 } } });
  const { code, stderr } = await run(["cast", "--trust", "--rehearse", "replies.json", "do it"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/parallel.*(at least 1|1 to 64|from 1)/)]);
  expect(existsSync(join(cwd, ".pi", "pi-materia"))).toBe(false);
});
