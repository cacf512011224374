import { spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROGRAM, castsIn, envOf, journalOf, newPlace, readText, run } from "../harness/cli.ts";

const SOCKETS = ["Socket-1", "Socket-2", "Socket-3", "Socket-4"];

/** Four programs in a row; each prints a line. */
function place(): string {
  const sockets = Object.fromEntries(
    SOCKETS.map((id, index) => [id, { materia: "Say", edges: [{ when: "always", to: SOCKETS[index + 1] ?? "end" }] }]),
  );
  const Say = { type: "utility", command: ["echo", "said"] };
  return newPlace({
    "conf.json": { activeLoadout: "Main", materia: { Say }, loadouts: { Main: { entry: "Socket-1", sockets } } },
  });
}

/** A command whose reader leaves after a line: what reached the reader, what the other stream said, and how it exited. */
async function left(cwd: string, command: string) {
  const script = `{ "$NODE" "$PROGRAM" ${command}; echo $? > code; } | head -1`;
  const env = { ...envOf(cwd), NODE: process.execPath, PROGRAM };
  const child = spawn("sh", ["-c", script], {
    cwd,
    env,
    stdio: ["ignore", "ignore", openSync(join(cwd, "errors"), "w")],
  });
  await once(child, "exit");
  return { code: readText(join(cwd, "code")).trim(), errors: readText(join(cwd, "errors")) };
}

it.each<[rule: string, words: string]>([
  ["[D23] events", "cast --config conf.json --json x"],
  ["[D23] progress and result", "cast --config conf.json x 2>&1"],
])("%s: a reader that leaves does not interrupt the cast", async (_rule, words) => {
  const cwd = place();
  const { code, errors } = await left(cwd, words);
  const events = journalOf(cwd, castsIn(cwd)[0] ?? "");
  expect([code, events.at(-1)]).toEqual(["0", expect.objectContaining({ type: "cast_ended", outcome: "completed" })]);
  expect(errors).not.toMatch(/EPIPE|at .*\.ts:\d/);
});

it("[D23] looking at something long prints no stack", async () => {
  const cwd = place();
  await run(["cast", "--config", "conf.json", "x".repeat(100_000)], { cwd });
  expect(await left(cwd, "show --json")).toEqual({ code: "0", errors: "" });
});

describe.skipIf(!existsSync("/dev/full"))("a full disk", () => {
  /** How a command exits whose standard output is on a full disk, and what it says. */
  async function onFullDisk(cwd: string, args: readonly string[]) {
    const stdio: StdioOptions = ["ignore", openSync("/dev/full", "w"), openSync(join(cwd, "errors"), "w")];
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env: envOf(cwd), stdio });
    const [code] = (await once(child, "exit")) as [number];
    return { code, errors: readText(join(cwd, "errors")) };
  }

  it("[D23] does not stop a cast, which exits with 74", async () => {
    const cwd = place();
    const { code, errors } = await onFullDisk(cwd, ["cast", "--config", "conf.json", "x"]);
    expect([code, errors]).toEqual([
      74,
      expect.stringContaining("standard output cannot be written: the disk is full"),
    ]);
    expect(journalOf(cwd, castsIn(cwd)[0] ?? "").at(-1)).toMatchObject({ outcome: "completed" });
  });

  it("[D23] makes a listing exit with 74", async () => {
    expect(await onFullDisk(place(), ["loadout", "--json"])).toMatchObject({ code: 74 });
  });
});
