import { createServer, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { failWith, error, ok, type Result } from "../../core/model/issue.ts";
import { errorText } from "../../shell/system/files.ts";
import { SECURITY_HEADERS } from "./request-guard.ts";

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
    errorHandler: badRequestResponse,
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

/** Malformed or interrupted requests. */
function badRequestResponse(): Response {
  const issues = [error("bad_request", "", "malformed HTTP request")];
  return Response.json({ issues }, { status: 400, headers: SECURITY_HEADERS });
}

/** [N27] Requests that Node itself refuses get the same shape and headers as other refusals. */
function refuseRawRequest(code: string | undefined, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const [status, phrase] = STATUS_BY_ERROR[code ?? ""] ?? [400, "Bad Request"];
  const issues = [error("bad_request", "", "malformed HTTP request")];
  const body = JSON.stringify({ issues });
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
