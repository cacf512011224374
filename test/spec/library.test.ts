import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  abortCast,
  answerCast,
  checkProject,
  listCasts,
  loadProject,
  readCast,
  readRehearsal,
  resumeCast,
  startCast,
  watchCast,
  type AgentHost,
  type CastHandle,
  type Project,
  type Result,
} from "../../src/apps/library/index.ts";
import { scratchFolder } from "../harness/agents.ts";

const config = {
  activeLoadout: "Line",
  materia: {
    Writer: { prompt: "Write.", tools: "none" },
    Critic: { prompt: "Judge.", parse: "json", tools: "none" },
    Ask: { type: "person", question: "Is it good?" },
  },
  loadouts: {
    Line: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Writer", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Critic", edges: [{ when: "satisfied", to: "end" }] },
      },
    },
    Gate: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": {
          materia: "Ask",
          edges: [
            { when: "satisfied", to: "end" },
            { when: "not_satisfied", to: "end" },
          ],
        },
      },
    },
  },
};

/** An agent that gives these replies in turn; an error is a turn that failed. */
function hostOf(...replies: readonly (string | Error)[]): AgentHost {
  const left = [...replies];
  const usage = { input: 1, output: 1, cost: 0 };
  return {
    preflight: async () => [],
    runTurn: async () => {
      const reply = left.shift() ?? "";
      if (reply instanceof Error) return { kind: "failed", reason: "provider", message: reply.message, usage };
      return { kind: "said", text: reply, usage, model: "mine" };
    },
  };
}

function newProject(): Project {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, "conf.json"), JSON.stringify(config));
  const env = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, ".config") };
  return valueOf(loadProject(cwd, { config: "conf.json", env }));
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join("\n"));
  return result.value;
}

async function finish(started: Promise<Result<CastHandle>>) {
  const handle = valueOf(await started);
  const types: string[] = [];
  for await (const { type } of handle.events) types.push(type);
  return { types, ...valueOf(await handle.done) };
}

const YES = '{"satisfied":true}';

describe("[K9] casts from a program", () => {
  it("streams a cast from its first event to its end, and reads it again", async () => {
    const project = newProject();
    const end = await finish(startCast(project, { request: "One line", host: hostOf("a line", YES) }));
    expect(end).toMatchObject({ status: "completed", exitCode: 0, visits: 2, usage: { input: 2, output: 2 } });
    expect([end.types[0], end.types.at(-1)]).toEqual(["cast_started", "cast_ended"]);
    const read = valueOf(await readCast(project, end.castId));
    expect([read.request, read.events.map(({ type }) => type)]).toEqual(["One line", end.types]);
    expect(valueOf(await listCasts(project))).toMatchObject([{ castId: end.castId, status: "completed" }]);
    expect((await finish(watchCast(project, end.castId))).types).toEqual(end.types);
  });

  it("continues a cast that failed, and runs no completed visit again", async () => {
    const project = newProject();
    const failed = await finish(startCast(project, { request: "x", host: hostOf("a line", new Error("no credit")) }));
    expect(failed).toMatchObject({ status: "failed", exitCode: 1, reason: expect.stringContaining("no credit") });
    const end = await finish(resumeCast(project, failed.castId, { host: hostOf(YES) }));
    expect([end.status, end.types.filter((type) => type === "visit_started")]).toEqual(["completed", []]);
  });

  it.each([
    [{ kind: "yes" } as const, "completed", 0],
    [{ kind: "no", reason: "too long" } as const, "not_satisfied", 3],
  ])("answers a person's gate with %j", async (answer, status, exitCode) => {
    const project = newProject();
    const waits = await finish(startCast(project, { request: "x", loadout: "Gate", host: hostOf() }));
    expect(waits).toMatchObject({ status: "waiting", reason: "Is it good?", exitCode: 4 });
    expect(await finish(answerCast(project, waits.castId, answer))).toMatchObject({ status, exitCode });
  });

  it("aborts a cast that waits", async () => {
    const project = newProject();
    const { castId } = await finish(startCast(project, { request: "x", loadout: "Gate", host: hostOf() }));
    expect(await abortCast(project, castId)).toEqual({ ok: true, value: undefined });
    expect(valueOf(await readCast(project, castId)).status).toBe("aborted");
  });

  it("goes on when the reader of events leaves", async () => {
    const handle = valueOf(await startCast(newProject(), { request: "x", host: hostOf("a line", YES) }));
    const reader = handle.events[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.();
    expect(valueOf(await handle.done).status).toBe("completed");
  });

  it("refuses with issues and writes nothing", async () => {
    const project = newProject();
    expect(await startCast(project, { request: "x", loadout: "Lien", host: hostOf() })).toMatchObject({
      ok: false,
      issues: [{ code: "unknown_target" }],
    });
    expect(await startCast(project, { request: " \n", host: hostOf() })).toMatchObject({
      ok: false,
      issues: [{ code: "missing_prompt" }],
    });
    expect(loadProject(join(project.cwd, "nowhere"))).toMatchObject({
      ok: false,
      issues: [{ code: "missing_folder" }],
    });
    expect(valueOf(await listCasts(project))).toEqual([]);
    expect(await readCast(project, "../x")).toMatchObject({ ok: false });
    expect(readRehearsal("{,}")).toMatchObject({ ok: false, issues: [{ code: "bad_json" }] });
    expect(checkProject(project)).toMatchObject([{ severity: "warning", code: "unhandled_outcome" }]);
  });

  it("refuses an untrusted project unless the program trusts it", async () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, ".pi"));
    writeFileSync(join(cwd, ".pi", "pi-materia.json"), JSON.stringify(config));
    const env = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, ".config") };
    const asked = (trust: boolean) =>
      startCast(valueOf(loadProject(cwd, { env, trust })), { request: "x", host: hostOf("a line", YES) });
    expect(await asked(false)).toMatchObject({ ok: false, issues: [{ code: "untrusted_project" }] });
    expect((await finish(asked(true))).status).toBe("completed");
  });
});
