import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { prepareCast } from "../../src/shell/casting/start-cast.ts";
import { workspaceWith } from "../harness/hosted.ts";
import { seat } from "../harness/seats.ts";

const host = { preflight: async () => [], runTurn: () => Promise.reject(new Error("nobody is asked")) };

async function prepare(judge: object, { model, usual }: { model?: string; usual: readonly string[] }) {
  const workspace = workspaceWith({
    materia: { Build: { prompt: "Build." }, Judge: { prompt: "Judge.", notModelOf: "Build", ...judge } },
    loadouts: {
      Reviewed: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { ...seat("Build"), edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": { ...seat("Judge"), parse: "text" },
        },
      },
    },
  });
  const openReal = async () => ({ ...host, defaultModels: async () => usual });
  const link = { targets: [{ kind: "loadout", name: "Reviewed" } as const], prompt: "Do it." };
  const prepared = await prepareCast(workspace, link, { openReal, ...(model === undefined ? {} : { model }) });
  const found = prepared.ok ? [] : prepared.issues.map(({ code, path }) => [code, path]);
  return { found, left: readdirSync(workspace.place.cwd) };
}

const REFUSED = [["same_model", ["materia", "Judge", "notModelOf"]]];

it.each<[title: string, judge: object, models: { model?: string; usual: readonly string[] }, found: unknown]>([
  ["Pi's default for both", {}, { usual: ["a/x"] }, REFUSED],
  ["one typed model for both", { model: "b/y" }, { model: "a/x", usual: ["c/z"] }, REFUSED],
  ["the builder's default named for the judge", { model: "a/x" }, { usual: ["a/x"] }, REFUSED],
  ["another model for the judge", { model: "b/y" }, { usual: ["a/x"] }, []],
  ["a list to choose from", {}, { model: "a/x,b/y", usual: ["a/x"] }, []],
  ["models that only Pi knows", {}, { usual: [] }, []],
])("[Z19] a judge with %s", async (_title, judge, models, found) => {
  const seen = await prepare(judge, models);
  expect(seen).toEqual({ found, left: ["materia.json"] });
});
