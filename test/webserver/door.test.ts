import { describe, expect, it } from "vitest";
import { PORT, TOKEN, json, project, refusal, site } from "./harness.ts";

describe("who may ask", () => {
  it.each<[rule: string, headers: Record<string, string>, answer: string]>([
    ["[N1] no token", { authorization: "" }, "401 invalid_token"],
    ["[N1] a wrong token", { authorization: "Bearer the-tokem" }, "401 invalid_token"],
    ["[N1] a longer token", { authorization: `Bearer ${TOKEN}x` }, "401 invalid_token"],
    ["[N1] the token without its scheme", { authorization: TOKEN }, "401 invalid_token"],
    ["[N1] the token in a cookie", { authorization: "", cookie: `token=${TOKEN}` }, "401 invalid_token"],
    ["[N2] another host", { host: "example.com" }, "421 wrong_host"],
    ["[N2] a name that points here", { host: `rebound.example:${PORT}` }, "421 wrong_host"],
    ["[N2] the address in another form", { host: `0x7f000001:${PORT}` }, "421 wrong_host"],
    ["[N2] another address of this machine", { host: `127.0.0.2:${PORT}` }, "421 wrong_host"],
    ["[N2] another port", { host: "127.0.0.1:80" }, "421 wrong_host"],
    ["[N2] the right host in front of another", { host: `127.0.0.1:${PORT}.example.com` }, "421 wrong_host"],
    ["[N3] another origin", { origin: "http://example.com" }, "403 wrong_origin"],
    ["[N3] another port's origin", { origin: "http://127.0.0.1:80" }, "403 wrong_origin"],
    ["[N3] an origin that is kept secret", { origin: "null" }, "403 wrong_origin"],
    ["[N3] the other name of this machine", { origin: `http://localhost:${PORT}` }, "403 wrong_origin"],
    ["[N3] a cross-site request", { "sec-fetch-site": "cross-site" }, "403 wrong_site"],
    ["[N3] a same-site request", { "sec-fetch-site": "same-site" }, "403 wrong_site"],
    [
      "[N3] a cross-site navigation",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
      "403 wrong_site",
    ],
  ])("%s", async (_rule, headers, answer) => {
    expect(await refusal(site().ask("/api/casts", { headers }))).toBe(answer);
  });

  it.each<[rule: string, host: string]>([
    ["[N2] by address", `127.0.0.1:${PORT}`],
    ["[N2] by name", `localhost:${PORT}`],
    ["[N2] by the other address", `[::1]:${PORT}`],
  ])("%s", async (_rule, host) => {
    const { app } = site();
    const headers = {
      host,
      origin: `http://${host}`,
      "sec-fetch-site": "same-origin",
      authorization: `Bearer ${TOKEN}`,
    };
    expect(await json(app.request(`http://${host}/api/casts`, { headers }))).toEqual([]);
  });

  it("[N2] an absolute address of another host is refused, for any Host", async () => {
    const { app } = site();
    const headers = { host: `127.0.0.1:${PORT}`, authorization: `Bearer ${TOKEN}` };
    expect(await refusal(app.request("http://example.com/api/casts", { headers }))).toBe("421 wrong_host");
  });

  it("[N3] a preflight of another origin is refused, and no answer lets others read it", async () => {
    const headers = { origin: "http://example.com", "access-control-request-method": "POST" };
    const answer = await site().ask("/api/commands", { method: "OPTIONS", headers });
    expect([answer.status, [...answer.headers.keys()].filter((name) => name.startsWith("access-control"))]).toEqual([
      403,
      [],
    ]);
  });

  it("[N3] the page may be opened from elsewhere by a link", async () => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", authorization: "" };
    expect((await site().ask("/", { headers })).status).toBe(503);
  });
});

describe("what may be sent", () => {
  it.each<[rule: string, type: string | undefined]>([
    ["[N5] a form", "application/x-www-form-urlencoded"],
    ["[N5] plain text, which a page of another site may send", "text/plain"],
    ["[N5] something that begins like JSON", "application/jsonp"],
    ["[N5] nothing", undefined],
  ])("%s", async (_rule, type) => {
    const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
    const ask = { method: "POST", headers, body: '{"command":"casts"}' };
    expect(await refusal(site().ask("/api/commands", ask))).toBe("415 wrong_content_type");
  });

  it.each<[rule: string, body: string, answer: string]>([
    ["[N5] no JSON", "{", "400 bad_json"],
    ["[N5] no object", '"casts"', "400 bad_value"],
    ["[N5] no command", "{}", "400 missing_key"],
    ["[N5] a command that is no text", '{"command":["casts"]}', "400 bad_value"],
    ["[N5] a key that means nothing", '{"command":"casts","cwd":"/"}', "400 unknown_key"],
  ])("%s", async (_rule, body, answer) => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    expect(await refusal(site().ask("/api/commands", { method: "POST", headers, body }))).toBe(answer);
  });

  it.each<[rule: string, path: string, method: string, mebibytes: number]>([
    ["[N6] a command", "/api/commands", "POST", 1],
    ["[N6] a rehearsal", "/api/rehearse", "POST", 1],
    ["[N6] a configuration", "/api/config/user", "PUT", 8],
  ])("%s", async (_rule, path, method, mebibytes) => {
    const at = site();
    const headers = { "content-type": "application/json" };
    const whole = " ".repeat(mebibytes * 1024 * 1024);
    expect(await refusal(at.ask(path, { method, headers, body: whole }))).toBe("400 bad_json");
    expect(await refusal(at.ask(path, { method, headers, body: `${whole} ` }))).toBe("413 body_too_large");
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    expect(await refusal(at.ask(path, { method, headers, body: endless }))).toBe("413 body_too_large");
    expect(sent).toBeLessThan((mebibytes + 1) * 1024 * 1024);
  });
});

describe("what every answer says", () => {
  it.each<[rule: string, path: string, headers: Record<string, string>]>([
    ["[N7] the page", "/", {}],
    ["[N7] an answer", "/api/casts", {}],
    ["[N7] a stream", "/api/casts/stream", {}],
    ["[N7] a refusal at the door", "/api/casts", { host: "example.com" }],
    ["[N7] a refusal without token", "/api/casts", { authorization: "" }],
    ["[N7] nothing there", "/api/nothing", {}],
  ])("%s", async (_rule, path, headers) => {
    const answer = await site().ask(path, { headers });
    const said = Object.fromEntries(answer.headers);
    expect(said["content-security-policy"]).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(said["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(said).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      ...(path === "/" ? {} : { "cache-control": "no-store" }),
    });
    await answer.body?.cancel();
  });

  it.each<[rule: string, method: string, path: string, answer: string]>([
    ["[N8] an escape that means nothing", "GET", "/api/casts/%", "400 bad_url"],
    ["[N8] half an escape", "GET", "/api/casts/%E0%A4%A", "400 bad_url"],
    ["[N8] bytes that are no text", "GET", "/%ff%fe", "400 bad_url"],
    ["[N8] a zero byte", "GET", "/api/casts/a%00b", "400 bad_url"],
    ["[N8] an address of nothing", "GET", "/api/nothing", "404 not_found"],
    ["[N8] the bare root", "GET", "/api", "404 not_found"],
    ["[N8] an unknown method", "PROPFIND", "/api/casts", "404 not_found"],
    ["[N8] a wrong method", "PATCH", "/api/casts/x", "404 not_found"],
    ["[N8] a place that is no number", "GET", "/api/casts/x/events?after=-1", "404 unknown_cast"],
  ])("%s", async (_rule, method, path, answer) => {
    expect(await refusal(site().ask(path, { method }))).toBe(answer);
  });

  it("[N8] a project whose configuration cannot be used is refused with its problems, and mended without a restart", async () => {
    const from = project();
    from.write(".pi/pi-materia.json", { artifactDir: "../elsewhere" });
    const at = site(from);
    expect(await refusal(at.ask("/api/casts"))).toBe("422 bad_artifact_dir");
    from.write(".pi/pi-materia.json", {});
    expect((await at.ask("/api/casts")).status).toBe(200);
  });
});
