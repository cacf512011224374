import { expect, it } from "vitest";
import { exitCodeFor } from "../../src/shell/casting/prepared-cast.ts";
import { PAUSE_REASON } from "../../src/shell/context/run-context.ts";
import { journalIn, resumeHosted, saying, startHosted, workspaceWith, type Agent } from "../harness/hosted.ts";

const NONE = { input: 0, output: 0, cost: 0 };
const config = { materia: { Work: { prompt: "Work." } } };

const stopped: Agent = (_request, abort) => {
  abort(PAUSE_REASON);
  return { kind: "failed", reason: "aborted", message: "aborted", usage: NONE };
};

it("[D29] a paused cast has written nothing about it, and goes on like one that was killed", async () => {
  const cast = await startHosted(workspaceWith(config), "Work", stopped);
  expect(cast.end.kind).toBe("paused");
  expect(exitCodeFor(cast.end)).toBe(130);
  expect(journalIn(cast).at(-1)?.type).toBe("visit_started");
  const { store } = cast.workspace;
  expect(await store.summary(cast.castId)).toMatchObject({ status: "interrupted" });
  expect(await resumeHosted(cast, () => saying("done"))).toMatchObject({ kind: "ended" });
  expect(journalIn(cast).filter(({ type }) => type === "visit_started")).toHaveLength(1);
});

it("[D29] an answer that came before the pause counts", async () => {
  const cast = await startHosted(workspaceWith(config), "Work", (_request, abort) => {
    abort(PAUSE_REASON);
    return saying("done");
  });
  expect(cast.end.kind).toBe("ended");
});
