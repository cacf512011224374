import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { castOf, ended, hear, isEvent, json, project, refusal, site, type Site } from "./harness.ts";

const NEVER = 3_600_000;

const run = (at: Site, command: string, more: object = {}) => at.send("/api/commands", { command, ...more });

async function begun(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  expect(response.status).toBe(202);
  return ((await response.json()) as { castId: string }).castId;
}

async function outcome(at: Site, castId: string): Promise<unknown> {
  const { data } = (await ended(at, castId)).at(-1) ?? { data: null };
  return (data as { outcome?: string } | null)?.outcome;
}

async function waiting(at: Site, castId: string): Promise<void> {
  const stream = hear(await at.ask(`/api/casts/${castId}/events`));
  await stream.until(isEvent("cast_waiting"));
  await stream.until(({ event, data }) => event === "live" && !(data as { live: boolean }).live);
  await stream.close();
}

describe("commands that run a cast", () => {
  it.each<[rule: string, command: string, recorded: string]>([
    [
      "[N15] link",
      'link --rehearse r.json Build -- Say  it\'s "so"',
      'link Build --rehearse r.json -- Say  it\'s "so"',
    ],
    ["[N15] cast", "cast --rehearse r.json --loadout One do it", "cast --loadout One --rehearse r.json do it"],
    ["[N15] the active loadout", "cast --rehearse r.json do it", "cast --rehearse r.json do it"],
  ])("%s", async (_rule, command, recorded) => {
    const at = site();
    at.write("r.json", { replies: { Build: [{ text: "done" }] } });
    const one = { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } };
    at.write("../config/pi/pi-materia/materia.json", { activeLoadout: "One", loadouts: { One: one } });
    const id = await begun(run(at, command));
    expect(await outcome(at, id)).toBe("completed");
    expect(await json(at.ask(`/api/casts/${id}`))).toMatchObject({ castFile: { command: recorded } });
  });

  it("[N15] the answer comes with the first event, not with the end", async () => {
    const at = site();
    const id = await castOf(at, { Build: [{ delayMs: NEVER, text: "late" }] });
    expect(await json(at.ask(`/api/casts/${id}`))).toMatchObject({ live: true, summary: { status: "running" } });
    expect(at.runs.isRunningHere(id)).toBe(true);
  });

  it.each<[rule: string, command: string, answer: string]>([
    ["[N15] an unknown command", "kast do it", "400 unknown_command"],
    ["[N15] an open quote", 'link "Build -- x', "400 unclosed_quote"],
    ["[N15] no prompt", "cast", "400 missing_prompt"],
    ["[N15] an unknown target", "link Nobody -- x", "422 unknown_target"],
    ["[N15] an unknown cast", "recast 20200101-000000-aaaaa", "404 unknown_cast"],
    ["[N15] no cast at all", "continue", "404 missing_cast"],
    ["[N15] an id that is none", "abort ../x", "400 bad_cast_id"],
    ["[N15] a rehearsal that is not there", "link --rehearse no.json Build -- x", "404 missing_file"],
    ["[N15] an option's value", "link --durability maybe Build -- x", "422 bad_option"],
  ])("%s", async (_rule, command, answer) => {
    const at = site();
    expect(await refusal(run(at, command))).toBe(answer);
    expect([existsSync(at.root), at.problems]).toEqual([false, []]);
  });

  it("[N15] a person answers and finishes an interactive cast", async () => {
    const at = site();
    const plan = { json: { workItems: [{ title: "a", context: "b" }] } };
    const body = {
      targets: ["Interactive-Plan"],
      prompt: "plan it",
      replies: { "Interactive-Plan": [{ text: "Which?" }, plan, plan] },
    };
    const id = await begun(at.send("/api/rehearse", body));
    await waiting(at, id);
    expect(await refusal(run(at, `recast ${id}`))).toBe("409 awaiting_person");
    expect(await begun(run(at, `continue ${id} The small one`))).toBe(id);
    await waiting(at, id);
    expect(await begun(run(at, "continue"))).toBe(id);
    expect(await outcome(at, id)).toBe("completed");
    expect(await refusal(run(at, `continue ${id} more`))).toBe("409 not_awaiting_person");
    expect(await refusal(run(at, `recast ${id}`))).toBe("409 cast_finished");
  });

  it("[N17] a rehearsal given with the request is kept with its cast, and a resume finds it", async () => {
    const at = site();
    const replies = { Build: [{ error: "overflow" }, { text: "done" }] };
    const id = await castOf(at, replies);
    expect(await outcome(at, id)).toBe("failed");
    const { castFile } = (await json(at.ask(`/api/casts/${id}`))) as { castFile: { rehearsal: string } };
    expect(castFile.rehearsal).toBe(`${id}/rehearsal.json`);
    expect(JSON.parse(readFileSync(join(at.root, castFile.rehearsal), "utf8"))).toMatchObject({ onEmpty: "fail" });
    await begun(run(at, `recast ${id}`));
    const stream = hear(await at.ask(`/api/casts/${id}/events`));
    await stream.until(isEvent("cast_resumed"));
    expect((await stream.until(isEvent("cast_ended"))).at(-1)?.data).toMatchObject({ outcome: "completed" });
    await stream.close();
  });

  it.each<[rule: string, body: object, answer: string]>([
    ["[N17] replies of a wrong shape", { replies: { Build: [{ said: "x" }] } }, "400 unknown_key"],
    ["[N17] no replies", {}, "400 missing_key"],
    ["[N17] no targets", { replies: {}, targets: [] }, "400 bad_value"],
    ["[N17] an unknown loadout", { replies: {}, loadout: "No such" }, "422 unknown_target"],
  ])("%s", async (_rule, body, answer) => {
    const at = site();
    expect(await refusal(at.send("/api/rehearse", { prompt: "x", ...body }))).toBe(answer);
    expect(existsSync(at.root)).toBe(false);
  });

  it("[N17] a loadout and a prompt that looks like options are taken as they are", async () => {
    const at = site();
    const one = { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } };
    at.write("../config/pi/pi-materia/materia.json", { loadouts: { "--it's 1": one } });
    const body = { loadout: "--it's 1", prompt: "--trust -- me", replies: { Build: [{ text: "done" }] } };
    const id = await begun(at.send("/api/rehearse", body));
    expect(await json(at.ask(`/api/casts/${id}`))).toMatchObject({ castFile: { request: "--trust -- me" } });
    await ended(at, id);
  });
});

function untrusted(): Site {
  const from = project();
  from.write(".pi/pi-materia.json", { materia: { Build: { prompt: "mine", tools: "none" } } });
  return site(from);
}

describe("trust", () => {
  const body = { targets: ["Build"], prompt: "x", replies: { Build: [{ text: "done" }] } };

  it("[N18] an untrusted project runs nothing", async () => {
    const at = untrusted();
    expect(await refusal(at.send("/api/rehearse", body))).toBe("409 untrusted_project");
    expect(await refusal(run(at, "link Build -- x"))).toBe("409 untrusted_project");
    expect(existsSync(at.root)).toBe(false);
    expect(await json(at.ask("/api/catalog"))).toMatchObject({ trust: { given: false, commands: [] } });
  });

  it.each<[rule: string, ask: (at: Site) => Promise<Response>]>([
    ["[N18] a yes in the body", (at) => at.send("/api/rehearse", { ...body, trust: true })],
    ["[N18] a yes in the command", (at) => run(at, "link --trust --rehearse r.json Build -- x")],
  ])("%s", async (_rule, ask) => {
    const at = untrusted();
    at.write("r.json", { replies: body.replies });
    await ended(at, await begun(ask(at)));
    expect(await json(at.ask("/api/catalog"))).toMatchObject({ trust: { given: true } });
    await ended(at, await begun(at.send("/api/rehearse", body)));
  });

  it("[N18] a yes to a command that is refused is forgotten", async () => {
    const at = untrusted();
    expect(await refusal(run(at, "link Nobody -- x", { trust: true }))).toBe("422 unknown_target");
    expect(await refusal(at.send("/api/rehearse", body))).toBe("409 untrusted_project");
  });
});

describe("commands that are answered", () => {
  it.each<[rule: string, command: string, answer: object]>([
    ["[N16] help", "help", { code: 0, text: expect.stringContaining("Every day") }],
    ["[N16] help of one", "cast --help", { code: 0, text: expect.stringContaining("cast [--loadout NAME]") }],
    ["[N16] casts", "casts --json", { code: 0, data: [], text: expect.stringContaining("No casts yet") }],
    ["[N16] grid", "grid Full-Auto", { code: 0, text: expect.stringContaining("Auto-Plan") }],
    ["[N16] a chain", "grid --link Planner Build --mermaid", { text: expect.stringContaining("flowchart") }],
    [
      "[N16] loadout",
      "loadout",
      { data: expect.arrayContaining([expect.objectContaining({ name: "Full-Auto", active: true })]) },
    ],
    ["[N16] materia", "materia Build", { data: expect.objectContaining({ name: "Build", source: "bundled" }) }],
    [
      "[N16] check",
      "check",
      {
        code: 0,
        data: {
          issues: [],
          loadouts: ["Full-Auto", "Test-Driven", "Parallel-Auto", "Planning-Consult", "Hojo-Consult"].map((name) => ({
            name,
          })),
        },
      },
    ],
    [
      "[N16] check of a broken file",
      "check broken.json",
      { code: 1, data: { issues: [expect.objectContaining({ code: "bad_json" })] } },
    ],
    ["[N16] prune", "casts prune --keep 0 --yes", { code: 0, data: { removed: true, casts: [] } }],
  ])("%s", async (_rule, command, answer) => {
    const at = site();
    at.write("broken.json", "{,}");
    expect(await json(run(at, command))).toMatchObject(answer);
  });

  it("[N16] status, show, budget and prune of a cast mean what they mean in a terminal", async () => {
    const at = site();
    const id = await castOf(at);
    await ended(at, id);
    expect(await json(run(at, "status"))).toMatchObject({ data: { castId: id, status: "completed" } });
    expect(await json(run(at, `show ${id}`))).toMatchObject({ text: expect.stringContaining("Build (Socket-1)") });
    expect(await json(run(at, `budget ${id}`))).toMatchObject({ data: { maxTokens: 10_000_000 } });
    expect(await json(run(at, "casts prune --keep 0"))).toMatchObject({ data: { removed: false, casts: [id] } });
    expect(await json(run(at, "casts prune --keep 0 --yes"))).toMatchObject({ data: { removed: true, casts: [id] } });
    expect(readdirSync(at.root)).toEqual([".gitignore"]);
  });

  it("[N16] loadout and init write what they write in a terminal", async () => {
    const at = site();
    expect(await json(run(at, "loadout Planning-Consult"))).toMatchObject({ data: { active: "Planning-Consult" } });
    expect(await json(at.ask("/api/catalog"))).toMatchObject({
      settings: { activeLoadout: { value: "Planning-Consult" } },
    });
    expect(await json(run(at, "init"))).toMatchObject({ code: 0 });
    expect(await json(at.ask("/api/catalog"))).toMatchObject({ trust: { given: true } });
    expect(await refusal(run(at, "init"))).toBe("422 file_exists");
  });

  it.each<[rule: string, command: string, answer: string]>([
    ["[N16] another folder", "casts --cwd /", "400 bad_option"],
    ["[N16] another place for casts", "casts --artifacts /tmp", "400 bad_option"],
    ["[N16] another configuration", "check --config /etc/passwd", "400 bad_option"],
    ["[N16] a second server", "ui", "422 command_unavailable"],
    ["[N16] the demo", "demo", "422 command_unavailable"],
    ["[YQ8] the queue on a fleet", "queue run --on f", "422 command_unavailable"],
    ["[N16] an unknown loadout", "loadout Nothing", "422 unknown_loadout"],
  ])("%s", async (_rule, command, answer) => {
    expect(await refusal(run(site(), command))).toBe(answer);
  });
});

describe("stopping", () => {
  it("[N19] abort ends a cast in the middle of a turn, and it can be resumed", async () => {
    const at = site();
    const id = await castOf(at, { Build: [{ delayMs: NEVER, text: "late" }, { text: "done" }] });
    expect(await json(run(at, `abort ${id}`))).toMatchObject({ code: 0, data: { castId: id, status: "aborted" } });
    expect(at.runs.isRunningHere(id)).toBe(false);
    expect(await outcome(at, id)).toBe("aborted");
    expect(await refusal(run(at, `abort ${id}`))).toBe("409 cast_finished");
  });

  it("[N19] two commands for one cast: the second is refused, and the first goes on", async () => {
    const at = site();
    const id = await castOf(at, { Build: [{ error: "overflow" }, { delayMs: NEVER, text: "late" }] });
    expect(await outcome(at, id)).toBe("failed");
    const answers = await Promise.all([run(at, `recast ${id}`), run(at, `recast ${id}`)]);
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(["202", "409"]);
    expect(at.runs.isRunningHere(id)).toBe(true);
  });

  it("[N19] the end of the server ends its casts in good order", async () => {
    const at = site();
    const id = await castOf(at, { Build: [{ delayMs: NEVER, text: "late" }] });
    await at.runs.stop();
    expect(await json(at.ask(`/api/casts/${id}`))).toMatchObject({ live: false, summary: { status: "aborted" } });
  });
});

describe("[N37] what the page has in hand", () => {
  const body = {
    loadout: "Draft",
    prompt: "do it",
    replies: { Mine: [{ text: "done" }] },
    draft: {
      materia: { Mine: { type: "agent", prompt: "x" } },
      loadouts: { Draft: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Mine" } } } },
    },
  };

  it("[N37] is cast as it is, and no file is made of it", async () => {
    const at = site();
    const { castId } = (await json(at.send("/api/rehearse", body))) as { castId: string };
    const heard = await ended(at, castId);
    expect(heard.at(-1)?.data).toMatchObject({ type: "cast_ended" });
    expect(existsSync(join(at.cwd, ".pi", "pi-materia.json"))).toBe(false);
  });

  it("[N37] is checked like any other, and needs the project's trust like any other", async () => {
    const at = site();
    const broken = { ...body, draft: { loadouts: { Draft: { entry: "Nowhere", sockets: {} } } } };
    expect((await at.send("/api/rehearse", broken)).status).toBe(422);
    at.write(".pi/pi-materia.json", { materia: { Other: { type: "utility", command: ["true"] } } });
    expect(await refusal(at.send("/api/rehearse", body))).toBe("409 untrusted_project");
  });
});

it("[N41] a cast is deleted with its folder and is gone from the list; one that runs stays", async () => {
  const at = site();
  const id = await castOf(at);
  await ended(at, id);
  const erase = () => at.ask(`/api/casts/${id}`, { method: "DELETE" });
  expect(await json(erase())).toEqual({ removed: [id] });
  expect([existsSync(join(at.root, id)), await json(at.ask("/api/casts"))]).toEqual([false, []]);
  expect((await erase()).status).toBe(404);
});
