import { createServer, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Hono, MiddlewareHandler } from "hono";
import { failWith, error, ok, type Result } from "../../core/model/issue.ts";
import { errorText } from "../../shell/system/files.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import { refuse, refuseAccess } from "./body-and-reply.ts";

export interface HttpServer {
  readonly port: number;
  /** Refuses new connections, waits for the given promise, then closes the rest. */
  readonly close: (before: () => Promise<void>) => Promise<void>;
}

/** [N1] Loopback only. */
export async function startHttpServer(app: Hono, port: number): Promise<Result<HttpServer>> {
  const answer = getRequestListener(app.fetch, {
    // Pi and its tools share this process: leave its globals unchanged.
    overrideGlobalObjects: false,
    errorHandler: () => Response.json(MALFORMED, { status: 400, headers: SECURITY_HEADERS }),
  });
  const server = createServer(
    // Let a request without a host pass: the request guard refuses it like any other.
    { maxHeaderSize: 16 * 1024, requestTimeout: 30_000, headersTimeout: 10_000, requireHostHeader: false },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  server.on("checkExpectation", (incoming, outgoing) => void answer(incoming, outgoing));
  server.on("clientError", (thrown: NodeJS.ErrnoException, socket) => refuseRawRequest(thrown.code, socket));
  const listened = await listenOnPort(server, port);
  if (!listened.ok) return listened;
  return ok({
    port: listened.value,
    close: async (before) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await before();
      server.closeAllConnections();
      await closed;
    },
  });
}

/** Of malformed or interrupted requests. */
const MALFORMED = { issues: [error("bad_request", "", "malformed HTTP request")] };

/** [N27] Requests that Node itself refuses get the same shape and headers as other refusals. */
function refuseRawRequest(code: string | undefined, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const [status, phrase] = STATUS_BY_ERROR[code ?? ""] ?? [400, "Bad Request"];
  const body = JSON.stringify(MALFORMED);
  const headers = {
    ...SECURITY_HEADERS,
    "cache-control": "no-store",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${lines.join("")}\r\n${body}`);
}

const STATUS_BY_ERROR: Readonly<Record<string, readonly [status: number, phrase: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
};

function listenOnPort(server: Server, port: number): Promise<Result<number>> {
  return new Promise((resolve) => {
    const cannot = (why: string): void => {
      const hint = "choose another with --port, or leave it out";
      resolve(failWith("listen_failed", "--port", `port ${port} cannot be used: ${why}`, hint));
    };
    if (!Number.isInteger(port) || port > 65_535) return cannot("ports are whole numbers up to 65535");
    server.once("error", (thrown) => cannot(errorText(thrown)));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      resolve(ok(typeof address === "object" && address ? address.port : port));
    });
    return undefined;
  });
}

/**
 * [N2, N3] Another site may reach this port through a host name that it controls, a form or a script.
 * Its host name, or the origin that the browser adds, reveals it.
 */
export function requireOwnOrigin(port: () => number): MiddlewareHandler {
  return async (c, next) => {
    const hosts = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port()}`);
    const host = c.req.header("host");
    const asked = URL.parse(c.req.url)?.host;
    if (host === undefined || !hosts.includes(host) || asked === undefined || !hosts.includes(asked))
      return refuse(c, 421, error("wrong_host", "Host", "the host name must be the local address of this server"));
    const origin = c.req.header("origin");
    if (origin !== undefined && origin !== `http://${host}`)
      return refuse(c, 403, error("wrong_origin", "Origin", "only pages of this server may send requests"));
    const site = c.req.header("sec-fetch-site");
    // Another site may link to the page itself: it contains no data.
    const isLink = !isApiPath(c.req.path) && c.req.header("sec-fetch-mode") === "navigate";
    if (site !== undefined && site !== "same-origin" && site !== "none" && !isLink)
      return refuse(c, 403, error("wrong_site", "Sec-Fetch-Site", "only pages of this server may send requests"));
    return next();
  };
}

function isApiPath(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

/** [N8] Routes must never see invalid percent-encoding. */
export const rejectMalformedUrls: MiddlewareHandler = async (c, next) => {
  try {
    const path = decodeURIComponent(URL.parse(c.req.url)?.pathname ?? "%");
    if (!path.includes("\0")) return next();
  } catch {
    // Refused below.
  }
  return refuse(c, 400, error("bad_url", "", "invalid percent-encoding in the URL"));
};

/** [N1] */
export function requireToken(token: string): MiddlewareHandler {
  const expected = digest(`Bearer ${token}`);
  return async (c, next) => {
    // Digests have one length, so the comparison takes the same time for every token.
    if (timingSafeEqual(digest(c.req.header("authorization") ?? ""), expected)) return next();
    c.header("www-authenticate", "Bearer");
    return refuseAccess(c, "Authorization", "the token is missing or wrong");
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // React and the canvas set style properties of elements; style sheets in the page stay forbidden.
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/** [N7] On every response, refusals included. */
export const setSecurityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.res.headers.set(name, value);
  if (isApiPath(c.req.path) || c.req.path === "/door") c.res.headers.set("cache-control", "no-store");
};
