import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { eventTypes, openPiSession, project } from "../harness/pi-session.ts";

const CONFIG = {
  materia: { Judge: { prompt: "Judge.", parse: "json" } },
  loadouts: {
    Pair: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Judge", edges: [{ when: "not_satisfied", to: "Socket-1", maxTraversals: 1 }] },
      },
    },
  },
  activeLoadout: "Pair",
};
const NO = '{"satisfied":false,"context":"too small"}';
const YES = '{"satisfied":true}';

/** A cast whose result was sent back too often, and a person who chooses this. */
async function stopped(chosen: string, ...replies: readonly string[]) {
  const pi = await openPiSession({
    cwd: project(CONFIG),
    confirm: () => true,
    replies: ["one", NO, "two", NO, ...replies],
    select: () => chosen,
    input: () => "make it larger",
  });
  await pi.type("/materia cast a hut");
  expect(await pi.sees(/^materia-result/)).toMatch(/failed/);
  expect(await pi.sees(/^select/)).toBe("select: It was sent back too often: too small");
  return pi;
}

describe("[X45] a result that was sent back too often", () => {
  it("is made once more with what the person says", async () => {
    const pi = await stopped("Once more, with a hint", "three", YES);
    await pi.sees(/^info: With the hint: “make it larger”$/);
    expect(await pi.sees(/^materia-result/)).toMatch(/completed/);
    expect(pi.requests.map(({ messages }) => messages.at(-1)).find((each) => each?.includes("larger"))).toMatch(
      /The person you work for says: make it larger[^]*too small/,
    );
  });

  it("is accepted as it is", async () => {
    const pi = await stopped("Accept it as it is");
    expect(await pi.sees(/^materia-result/)).toMatch(/completed/);
    expect(await eventTypes(pi.cwd)).toContain("person_judged");
  });

  it("is decided about in the same way when no file changed", async () => {
    const sockets = structuredClone(CONFIG.loadouts.Pair.sockets);
    sockets["Socket-2"].edges = [{ when: "not_satisfied", to: "Socket-1", maxTraversals: 9 }];
    const cwd = project({ ...CONFIG, loadouts: { Pair: { entry: "Socket-1", sockets } } });
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd });
    git("init", "-q");
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "start");
    const replies = ["one", NO, "two", NO, "three", NO];
    const pi = await openPiSession({ cwd, confirm: () => true, replies, select: () => "Accept it as it is" });
    await pi.type("/materia cast a hut");
    expect(await pi.sees(/^select/)).toBe("select: It was sent back and changed no file: too small");
    expect(await pi.sees(/^materia-result.*completed/)).toBeTruthy();
  });

  it("stops the cast, which can be decided about later", async () => {
    const pi = await stopped("Stop here");
    expect((await eventTypes(pi.cwd)).at(-1)).toBe("cast_ended");
    expect(pi.requests).toHaveLength(4);
  });
});
