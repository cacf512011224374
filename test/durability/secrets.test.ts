import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newPlace } from "../harness/cli.ts";
import { begin, goOn, onlyCast, subject, type Subject } from "../harness/killed.ts";

const SECRET = "tok-12345678";
const SAID = `deploy build-production-eu with ${SECRET}`;

function place(): Subject {
  const config = {
    activeLoadout: "Main",
    materia: { Plan: { prompt: "Plan.", parse: "json" }, Tell: { prompt: "Tell {{state.said}}." } },
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": {
            materia: "Plan",
            assign: { said: "$.context" },
            edges: [{ when: "always", to: "Socket-2" }],
          },
          "Socket-2": { materia: "Tell" },
        },
      },
    },
  };
  const replies = { Plan: [{ json: { context: SAID } }], Tell: [{ error: "overflow" }, { text: SECRET }] };
  const cwd = newPlace({ "materia.json": config, "replies.json": { replies } });
  const one = subject(cwd, `${cwd}/replies.json`, `${cwd}/materia.json`);
  const env = { ...one.workspace.place.env, A_TOKEN: SECRET, DEPLOY_KEY: "production" };
  const workspace = { ...one.workspace, place: { ...one.workspace.place, env } };
  return { ...one, workspace, request: `Use ${SECRET}` };
}

it("[S12] a cast that is resumed has the state it had: what is secret was never in it, what is not is whole", async () => {
  const one = place();
  const { end } = await begin(one);
  expect(end?.state.data["said"]).toBe("deploy build-production-eu with [secret A_TOKEN]");
  expect(end?.state.request).toBe("Use [secret A_TOKEN]");
  const on = (await goOn(one)).end?.state;
  expect(on).toMatchObject({ phase: { outcome: "completed" }, data: end?.state.data, request: end?.state.request });
  const runDir = join(one.workspace.root, onlyCast(one.workspace));
  const files = globSync("**/*", { cwd: runDir }).filter((name) => statSync(join(runDir, name)).isFile());
  expect(files).toContain("sockets/Socket-2/1/transcript.jsonl");
  for (const name of files)
    expect([name, readFileSync(join(runDir, name), "utf8").includes(SECRET)]).toEqual([name, false]);
});
