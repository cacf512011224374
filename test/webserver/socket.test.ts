import { once } from "node:events";
import { sealLines } from "../harness/journals.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startHttpServer } from "../../src/apps/server/http-server.ts";
import { openUi } from "../../src/apps/server/open-ui.ts";
import { TOKEN, hear, isEvent, project, site } from "./harness.ts";

const LONG = "x".repeat(20_000);

async function listening() {
  const from = project();
  const problems: string[] = [];
  const opened = await openUi({
    place: from.place,
    openReal: () => Promise.reject(new Error("tests rehearse")),
    report: (problem) => problems.push(problem),
  });
  if (!opened.ok) throw new Error(opened.issues[0]?.message);
  const { close, url } = opened.value;
  onTestFinished(close);
  const { origin, port, searchParams } = new URL(url);
  const headers = { authorization: `Bearer ${searchParams.get("token")}`, "content-type": "application/json" };
  const ask = (path: string, init: RequestInit = {}) => fetch(`${origin}${path}`, { headers, ...init });
  const isWell = async (): Promise<boolean> => (await ask("/api/casts")).ok && problems.length === 0;
  return { ...from, close, url, origin, port: Number(port), token: searchParams.get("token") ?? "", ask, isWell };
}

/** The first line that comes back for bytes that no browser would send. */
async function raw(port: number, text: string): Promise<string> {
  return (await wholeAnswer(port, text)).split("\r\n")[0] ?? "";
}

async function wholeAnswer(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  socket.end(text);
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}

describe("a real socket", () => {
  it("[N1] tokens have 256 bits and differ from start to start", async () => {
    const [a, b] = [await listening(), await listening()];
    expect(Buffer.from(a.token, "base64url")).toHaveLength(32);
    expect(a.token).not.toBe(b.token);
    expect((await b.ask("/api/casts", { headers: { authorization: `Bearer ${a.token}` } })).status).toBe(401);
  });

  it("[N1] no other address of this machine answers", async () => {
    const { port } = await listening();
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4")
      .map(({ address }) => address);
    const answers = ["127.0.0.2", ...others].map(async (address) => {
      const socket: Socket = connect(port, address);
      const isOpen = await once(socket, "connect").then(
        () => true,
        () => false,
      );
      socket.destroy();
      return isOpen;
    });
    expect((await Promise.all(answers)).some(Boolean)).toBe(false);
  });

  it.each<[rule: string, request: (port: number) => string, answer: RegExp]>([
    ["[N2] a name that points here", (port) => `GET /api/casts HTTP/1.1\r\nHost: evil.example:${port}\r\n\r\n`, /421/],
    ["[N2] no host", () => "GET /api/casts HTTP/1.1\r\n\r\n", /400|421/],
    ["[N2] two hosts", (port) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\n\r\n`, /400|421/],
    ["[N2] an old protocol without a host", () => "GET /api/casts HTTP/1.0\r\n\r\n", /400|421/],
    [
      "[N2] an absolute address of another host",
      (port) => `GET http://evil.example/api/casts HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
      /421/,
    ],
    ["[N2] a host with a user", (port) => `GET / HTTP/1.1\r\nHost: x@127.0.0.1:${port}\r\n\r\n`, /400|421/],
    ["[N8] no HTTP at all", () => "\u0016\u0003\u0001 hello\r\n\r\n", /400/],
    [
      "[N8] a proxy's request",
      () => "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
      /^$|400|421/,
    ],
    [
      "[N8] an upgrade",
      (port) =>
        `GET /api/casts HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
      /401/,
    ],
    [
      "[N8] a header without end",
      (port) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      /431/,
    ],
    [
      "[N8] headers without end",
      (port) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${"X: y\r\n".repeat(5_000)}\r\n`,
      /431|200|503/,
    ],
    [
      "[N8] an address without end",
      (port) => `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
      /431/,
    ],
    ["[N8] an escape that means nothing", (port) => `GET /%zz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, /400/],
    ["[N8] a backslash", (port) => `GET /\\..\\x HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, /400/],
    [
      "[N8] dots that leave the root",
      (port) => `GET /../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
      /404|200|503/,
    ],
    ["[N8] an address that is none", (port) => `GET evil HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, /400/],
    [
      "[N8] a smuggled request",
      (port) =>
        `POST /api/commands HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /400/,
    ],
  ])("%s", async (_rule, request, answer) => {
    const at = await listening();
    expect(await raw(at.port, request(at.port))).toMatch(answer);
    expect(await at.isWell()).toBe(true);
  });

  it.each<[rule: string, request: (port: number) => string, answer: RegExp]>([
    ["[N27] no HTTP at all", () => "\u0016\u0003\u0001 hello\r\n\r\n", /^HTTP\/1.1 400 /],
    ["[N27] no host", () => "GET / HTTP/1.1\r\n\r\n", /^HTTP\/1.1 4\d\d /],
    [
      "[N27] a header without end",
      (port) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${LONG}\r\n\r\n`,
      / 431 /,
    ],
    [
      "[N27] something that is expected of the server",
      (port) => `GET /api HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nExpect: tea\r\nConnection: close\r\n\r\n`,
      / 401 /,
    ],
    [
      "[N27] two lengths",
      (port) =>
        `POST /api/commands HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n`,
      / 400 /,
    ],
  ])("%s is refused with our headers", async (_rule, request, answer) => {
    const at = await listening();
    const said = await wholeAnswer(at.port, request(at.port));
    expect(said).toMatch(answer);
    for (const part of [
      "content-security-policy: default-src 'none'",
      "x-content-type-options: nosniff",
      '{"issues":[{',
    ])
      expect(said).toContain(part);
    expect(await at.isWell()).toBe(true);
  });

  it("[N6] a body that does not say its length is taken like any other", async () => {
    const at = await listening();
    const stream = () => new Blob([JSON.stringify({ command: "casts" })]).stream();
    const answer = await at.ask("/api/commands", { method: "POST", body: stream(), duplex: "half" });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ code: 0, data: [] })]);
    expect(await at.isWell()).toBe(true);
  });

  it.each<[rule: string, sent: string]>([
    ["[N6] a body that is cut off", `a\r\n{"command"`],
    ["[N6] a chunk that is none", "zz\r\n"],
  ])("%s harms nobody", async (_rule, sent) => {
    const at = await listening();
    const lines = ["POST /api/commands HTTP/1.1", `Host: 127.0.0.1:${at.port}`, `Authorization: Bearer ${at.token}`];
    const text = [...lines, "Content-Type: application/json", "Transfer-Encoding: chunked", "", sent].join("\r\n");
    expect(await raw(at.port, text)).toMatch(/^$| 400 /);
    expect(await at.isWell()).toBe(true);
  });

  it("[N6] 50 MB are refused, whether they say so or not", async () => {
    const at = await listening();
    const body = new Uint8Array(50 * 1024 * 1024);
    const refused = async (init: object): Promise<number> => {
      // The server may hang up while we still talk.
      const answer = await at.ask("/api/commands", { method: "POST", ...init }).catch(() => undefined);
      return answer?.status ?? 413;
    };
    const stream = () => new Blob([body]).stream();
    expect([await refused({ body }), await refused({ body: stream(), duplex: "half" })]).toEqual([413, 413]);
    expect(await at.isWell()).toBe(true);
  });

  it("[N15] a cast is run and heard through the socket", async () => {
    const at = await listening();
    const replies = { Build: [{ text: "done" }] };
    const begun = await at.ask("/api/rehearse", {
      method: "POST",
      body: JSON.stringify({ targets: ["Build"], prompt: "x", replies }),
    });
    const { castId } = (await begun.json()) as { castId: string };
    const stream = hear(await at.ask(`/api/casts/${castId}/events`));
    expect((await stream.until(isEvent("cast_ended"))).at(-1)?.data).toMatchObject({ outcome: "completed" });
    await stream.close();
    expect(await at.isWell()).toBe(true);
  });
});

async function crowd() {
  let port = 0;
  const at = site(project(), { port: () => port });
  const served = await startHttpServer(at.app, 0);
  if (!served.ok) throw new Error(served.issues[0]?.message);
  port = served.value.port;
  onTestFinished(() => served.value.close(at.runs.stop));
  const headers = { authorization: `Bearer ${TOKEN}`, host: `127.0.0.1:${port}` };
  const drop = async (path: string, method = "GET"): Promise<void> => {
    const socket = connect(port, "127.0.0.1");
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write([`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
    await once(socket, "data");
    socket.destroy();
  };
  return { ...at, drop };
}

const place = { socket: "Socket-1", visit: 1 };
const answered = (seq: number) =>
  JSON.stringify({ seq, at: "2026-01-01T00:00:00.000Z", type: "person_answered", ...place, text: "x".repeat(10_000) });

describe("listeners at a real socket", () => {
  it("[N25] connections that drop leave nothing behind", async () => {
    const at = await crowd();
    mkdirSync(join(at.root, "c"), { recursive: true });
    writeFileSync(join(at.root, "c", "cast.json"), "{}");
    writeFileSync(join(at.root, "c", "journal.jsonl"), "");
    const paths = Array.from(
      { length: 50 },
      (_, index) => ["/api/casts/c/events", "/api/casts/stream"][index % 2] ?? "",
    );
    await Promise.all([...paths.map((path) => at.drop(path)), at.drop("/api/casts/stream", "HEAD")]);
    // The server hears of each end by itself, in its own time.
    await vi.waitUntil(() => at.watch.size() === 0, { interval: 1 });
    expect([at.watch.size(), at.problems]).toEqual([0, []]);
  });

  it("[N25] a listener that never reads is not read for", async () => {
    const at = await crowd();
    mkdirSync(join(at.root, "c"), { recursive: true });
    writeFileSync(join(at.root, "c", "cast.json"), "{}");
    const lines = Array.from({ length: 4_000 }, (_, index) => `${answered(index + 1)}\n`).join("");
    writeFileSync(join(at.root, "c", "journal.jsonl"), sealLines(lines, "c"));
    const before = process.memoryUsage().arrayBuffers;
    await at.drop("/api/casts/c/events");
    await vi.waitUntil(() => at.watch.size() === 0, { interval: 1 });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });
});

describe("materia ui", () => {
  it("[N26] a port that is taken is refused", async () => {
    const { port, place } = await listening();
    const second = await openUi({ place, port, openReal: () => Promise.reject(new Error()), report: () => undefined });
    expect(second).toEqual({
      ok: false,
      issues: [
        expect.objectContaining({
          code: "listen_failed",
          message: `port ${port} cannot be used: the port is in use (EADDRINUSE)`,
        }),
      ],
    });
    for (const none of [99_999, 80.5]) {
      const answer = openUi({
        place,
        port: none,
        openReal: () => Promise.reject(new Error()),
        report: () => undefined,
      });
      expect(await answer).toMatchObject({ ok: false, issues: [{ code: "listen_failed" }] });
    }
  });
});
