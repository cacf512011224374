import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { planCast, startCast } from "../../src/shell/casting/start-cast.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { scratchFolder } from "../harness/agents.ts";
import { compiled } from "../harness/play.ts";
import { graph, said, seat } from "../harness/seats.ts";

const one = compiled(graph({ "Socket-1": seat("Eval") })).graph;
const host = { preflight: async () => [], runTurn: async () => said('{"satisfied":true}') };
const context = { host, signal: new AbortController().signal };

it("[J18] a graph and a request are enough for a cast: no workspace, no configuration", async () => {
  const store = fileStore(join(scratchFolder(), "casts"));
  const plan = planCast(one, { request: "Judge it.", cwd: scratchFolder() });
  expect(await startCast(plan, { ...context, store })).toMatchObject({ ok: true, value: { kind: "ended" } });
  expect(await store.load(plan.file.castId)).toMatchObject({
    ok: true,
    value: { file: { request: "Judge it.", targets: [] }, state: { phase: { outcome: "completed" } } },
  });
});

it.skipIf(process.platform === "win32")("[S18] files of a cast are readable by their user only", async () => {
  const root = join(scratchFolder(), "casts");
  const plan = planCast(one, { request: "Judge it.", cwd: scratchFolder() });
  await startCast(plan, { ...context, store: fileStore(root) });
  const folder = join(root, plan.file.castId);
  const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  const files = ["cast.json", "journal.jsonl", "owner/1.json", "owner/lock"];
  expect(files.map((name) => mode(join(folder, name)))).toEqual(files.map(() => "600"));
  expect([root, folder, join(folder, "sockets/Socket-1/1")].map(mode)).toEqual(["700", "700", "700"]);
});
