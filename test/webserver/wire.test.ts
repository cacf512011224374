import { describe, expect, it } from "vitest";
import { CastResponse, CastListResponse } from "../../src/core/wire/casts.ts";
import { CatalogResponse, ConfigResponse } from "../../src/core/wire/catalog.ts";
import { CommandResponse, ErrorResponse, parseResponse } from "../../src/core/wire/commands.ts";
import { readStreamMessage } from "../../src/core/wire/stream.ts";
import { castOf, ended, hear, json, site } from "./harness.ts";

describe("[N30] what the server says is what the page reads", () => {
  it("[N30] every answer", async () => {
    const at = site();
    at.write(".pi/pi-materia.json", { loadouts: { Broken: { sockets: 1 } } });
    const id = await castOf({ ...at, send: (path, body) => at.send(path, { ...(body as object), trust: true }) });
    await ended(at, id);
    const answers = [
      parseResponse(CastListResponse, await json(at.ask("/api/casts")), "casts"),
      parseResponse(CastResponse, await json(at.ask(`/api/casts/${id}`)), "cast"),
      parseResponse(CatalogResponse, await json(at.ask("/api/catalog")), "catalog"),
      parseResponse(ConfigResponse, await json(at.ask("/api/config/project")), "config"),
      parseResponse(CommandResponse, await json(at.send("/api/commands", { command: "casts" })), "command"),
      parseResponse(CommandResponse, await json(at.send("/api/commands", { command: `recast ${id}` })), "refused"),
      parseResponse(ErrorResponse, await json(at.ask("/api/config/user")), "refusal"),
    ];
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false, true]);
  });

  it("[N30] every message of both streams", async () => {
    const at = site();
    const id = await castOf(at);
    const one = hear(await at.ask(`/api/casts/${id}/events`));
    const ofCast = await one.until(({ data }) => (data as { type?: string }).type === "cast_ended");
    const all = hear(await at.ask("/api/casts/stream"));
    const ofCasts = await all.until(({ event }) => event === "ready");
    await Promise.all([one.close(), all.close()]);
    const read = [
      ...ofCast.map(({ event, data }) => readStreamMessage("cast", event, JSON.stringify(data))),
      ...ofCasts.map(({ event, data }) => readStreamMessage("casts", event, JSON.stringify(data))),
    ];
    expect(read.filter(({ ok }) => !ok)).toEqual([]);
    expect(new Set(ofCasts.map(({ event }) => event))).toEqual(new Set(["cast", "ready"]));
  });
});

describe("[N30] what cannot be read", () => {
  it.each<[rule: string, kind: string, text: string]>([
    ["[N30] no JSON", "live", "{"],
    ["[N30] a kind that nobody knows", "weather", "{}"],
    ["[N30] a prototype's name", "constructor", "{}"],
    ["[N30] another shape", "live", '{"live":"yes"}'],
    ["[N30] an event of a newer version", "message", '{"seq":1,"at":"2026-01-01T00:00:00.000Z","type":"new_thing"}'],
    ["[N30] a note without its place", "progress", '{"kind":"asked"}'],
    ["[N30] a line that is no number", "damaged", '{"line":"3"}'],
  ])("%s", (_rule, kind, text) => {
    const read = readStreamMessage("cast", kind, text);
    expect(read.ok ? [] : read.issues.map(({ code }) => code)).toEqual(["unexpected_response"]);
  });

  it("[N30] a graph that begins at a socket which it does not have", async () => {
    const at = site();
    const id = await castOf(at);
    await ended(at, id);
    const text = JSON.stringify(await json(at.ask(`/api/casts/${id}`)));
    const broken: unknown = JSON.parse(text.replace('"entry":"Socket-1"', '"entry":"Socket-99"'));
    const read = parseResponse(CastResponse, broken, "cast");
    expect(read.ok ? "" : read.issues[0]?.message).toContain('at "castFile.graph.entry": names nothing');
  });

  it("[N30] the problem names the place and a way out", () => {
    const read = parseResponse(CommandResponse, { castId: 7 }, "/api/commands");
    expect(read).toMatchObject({ ok: false, issues: [{ code: "unexpected_response" }] });
    const hint = read.ok ? "" : read.issues[0]?.hint;
    expect(hint).toContain("reload the page");
  });
});
