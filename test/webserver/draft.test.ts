import { expect, it } from "vitest";
import { json, site } from "./harness.ts";

const SOUND = {
  materia: { Reader: { tools: "readOnly", prompt: "Read and report." } },
  loadouts: { "Read-It": { entry: "Socket-1", sockets: { "Socket-1": { materia: "Reader" } } } },
};

it("[YD15] the page gets a draft with its materia and bill, and nothing is written", async () => {
  const at = site();
  at.write("r.json", { replies: { Draft: [{ json: { cannot: "no hands" } }] } });
  at.write("s.json", { replies: { Draft: [{ json: SOUND }] } });
  const ask = (rehearse: string, more: object = {}) =>
    at.send("/api/commands", {
      command: { kind: "draft", words: "read it", literal: true, ...more },
      options: { rehearse },
    });
  expect(await json(await ask("s.json"))).toMatchObject({
    code: 0,
    data: { name: "Read-It", config: SOUND, bill: { shape: "Reader" }, rounds: 1 },
  });
  expect(await json(await ask("s.json", { from: "Full-Auto" }))).toMatchObject({ data: { name: "Read-It" } });
  expect(await json(await ask("r.json"))).toMatchObject({ issues: [{ code: "cannot_draft", message: "no hands" }] });
  expect(await json(await ask("s.json", { from: "none.json" }))).toMatchObject({ issues: [{ code: "missing_file" }] });
});
