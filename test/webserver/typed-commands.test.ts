import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { castOf, ended, hear, isEvent, json, refusal, site, type Site } from "./harness.ts";

const run = (at: Site, command: object, more: object = {}) => at.send("/api/commands", { command, ...more });

async function started(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  expect(response.status).toBe(202);
  return ((await response.json()) as { castId: string }).castId;
}

const UNKNOWN_CAST = "20200101-000000-aaaaa";

describe("typed commands that run a cast", () => {
  it("[N49, N51] link, with names and a prompt that text would read as options", async () => {
    const at = site();
    at.write("it's r.json", { replies: { "--it's 1": [{ text: "done" }] } });
    at.write("../config/pi/pi-materia/materia.json", { materia: { "--it's 1": { prompt: "x", tools: "none" } } });
    const prompt = '--trust @file "say" -- it\'s';
    const command = { kind: "link", targets: [{ kind: "materia", name: "--it's 1" }], prompt };
    const id = await started(run(at, command, { options: { rehearse: "it's r.json" } }));
    await ended(at, id);
    expect(await json(at.ask(`/api/casts/${id}`))).toMatchObject({ castFile: { request: prompt } });
  });

  it("[N49] cast, with its loadout and limits, is recorded as the text that casts it again", async () => {
    const at = site();
    at.write("r.json", { replies: { Build: [{ text: "done" }] } });
    const one = { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } };
    at.write("../config/pi/pi-materia/materia.json", { loadouts: { One: one } });
    const command = { kind: "cast", prompt: "do it", loadout: "One", budget: 5000, costUsd: 1.5 };
    const id = await started(run(at, command, { options: { rehearse: "r.json" } }));
    await ended(at, id);
    expect(await json(at.ask(`/api/casts/${id}`))).toMatchObject({
      castFile: { command: "cast --loadout One --budget 5000 --cost 1.5 --rehearse r.json do it" },
    });
  });

  it("[N49, N51] continue takes an answer that text would read as an option or as another cast", async () => {
    const at = site();
    const plan = { json: { workItems: [{ title: "a", context: "b" }] } };
    const replies = { "Interactive-Plan": [{ text: "Which?" }, plan, plan] };
    const body = { targets: ["Interactive-Plan"], prompt: "plan it", replies };
    const id = await started(at.send("/api/rehearse", body));
    const stream = hear(await at.ask(`/api/casts/${id}/events`));
    await stream.until(isEvent("cast_waiting"));
    await stream.until(({ event, data }) => event === "live" && !(data as { live: boolean }).live);
    const text = `--reject ${UNKNOWN_CAST}`;
    expect(await started(run(at, { kind: "continue", castId: id, text, reject: false }))).toBe(id);
    expect((await stream.until(isEvent("person_answered"))).at(-1)?.data).toMatchObject({ text });
    await stream.close();
  });

  it("[N49] recast and abort name their cast", async () => {
    const at = site();
    const id = await castOf(at, { Build: [{ error: "overflow" }, { delayMs: 3_600_000, text: "late" }] });
    await ended(at, id);
    expect(await started(run(at, { kind: "recast", castId: id }))).toBe(id);
    expect(await json(run(at, { kind: "abort", castId: id }))).toMatchObject({ data: { status: "aborted" } });
  });
});

describe("typed commands that are answered", () => {
  it.each<[rule: string, command: object, answer: object]>([
    ["[N49] loadout", { kind: "loadout", name: "Planning-Consult" }, { data: { active: "Planning-Consult" } }],
    ["[N49] doctor", { kind: "doctor" }, { code: 0, data: { casts: 0 } }],
    ["[N49] test", { kind: "test", paths: [] }, { issues: [{ code: "missing_tests" }] }],
    ["[N49] forecast", { kind: "forecast", loadout: "Full-Auto" }, { data: { loadout: "Full-Auto" } }],
  ])("%s", async (_rule, command, answer) => {
    expect(await json(run(site(), command))).toMatchObject(answer);
  });

  it.each<[rule: string, command: object]>([
    ["[N49] budget", { kind: "budget", castId: UNKNOWN_CAST, tokens: 5 }],
    ["[N49] compare", { kind: "compare", first: UNKNOWN_CAST, second: UNKNOWN_CAST }],
    ["[N49] fork", { kind: "fork", castId: UNKNOWN_CAST, visit: "Socket-1#1" }],
    ["[N49] fork_plan", { kind: "fork_plan", castId: UNKNOWN_CAST }],
    ["[N49] record", { kind: "record", castId: UNKNOWN_CAST, file: "t.json" }],
  ])("%s of an unknown cast", async (_rule, command) => {
    expect(await refusal(run(site(), command))).toBe("404 unknown_cast");
  });

  it("[N49] take is refused for an unknown cast", async () => {
    expect(await refusal(run(site(), { kind: "take", castId: UNKNOWN_CAST }))).toBe("404 unknown_cast");
  });
});

describe("typed commands of a wrong shape", () => {
  it.each<[rule: string, body: object, answer: string]>([
    ["[N50] an unknown kind", { command: { kind: "kast" } }, "400 bad_value"],
    ["[N50] a kind that is for terminals", { command: { kind: "ui", open: true } }, "400 bad_value"],
    ["[N50] no kind", { command: {} }, "400 missing_key"],
    ["[N50] a list", { command: ["casts"] }, "400 bad_value"],
    ["[N50] a blank prompt", { command: { kind: "cast", prompt: "  " } }, "400 bad_value"],
    ["[N50] no targets", { command: { kind: "link", prompt: "x", targets: [] } }, "400 bad_value"],
    [
      "[N50] several mistakes",
      { command: { kind: "recast", castId: "", allow: -1, more: 1 }, options: { cwd: "/" } },
      "400 bad_value bad_value unknown_key unknown_key",
    ],
    ["[N50] options beside text", { command: "casts", options: { model: "m" } }, "400 unknown_key"],
  ])("%s", async (_rule, body, answer) => {
    const at = site();
    expect(await refusal(at.send("/api/commands", body))).toBe(answer);
    expect(existsSync(at.root)).toBe(false);
  });
});
