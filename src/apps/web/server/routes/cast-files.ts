import type { Context, Hono } from "hono";
import * as v from "valibot";
import { SocketId, type CastId } from "../../../../core/model/ids.ts";
import { error } from "../../../../core/model/issue.ts";
import { VisitFileName } from "../../../../core/wire/casts.ts";
import type { Workspace } from "../../../../shell/casting/workspace/workspace.ts";
import { notFound, refuse } from "../http/reply.ts";
import { inlineValues } from "../../../../shell/store/whole-values.ts";
import type { ServedProject } from "./served-project.ts";
import { withCast } from "./casts.ts";

/** A longer file is read in pieces. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** [N14] The files of a visit, as text and never as anything a browser would run. */
export function castFileRoutes(app: Hono, served: ServedProject): void {
  app.get("/api/casts/:id/files/:socket/:visit/:name", withCast(served, sendVisitFile));
}

async function sendVisitFile(c: Context, castId: CastId, { store }: Workspace): Promise<Response> {
  const { socket: text = "", visit = "", name = "" } = c.req.param() as Record<string, string | undefined>;
  const socket = v.safeParse(SocketId, text);
  if (!socket.success || !/^[1-9]\d{0,8}$/.test(visit) || !v.is(VisitFileName, name)) return notFound(c);
  const at = { socket: socket.output, visit: Number(visit), name };
  const size = (await store.readArtifact(castId, at, { maxBytes: 0 }))?.size;
  // An event may be heard before the file it tells of is on the disk: that is no error, and no browser reports it as one.
  if (size === undefined && c.req.query("expected") !== undefined) return c.body(null, 204);
  if (size === undefined) return notFound(c);
  const asked = parseRange(c, size);
  if (!asked) {
    c.header("content-range", `bytes */${size}`);
    return refuse(c, 416, error("bad_range", "Range", `there are ${size} bytes`));
  }
  if (name === "input.json" && c.req.query("whole") !== undefined && size <= MAX_FILE_BYTES) {
    const input = await store.readArtifact(castId, at);
    if (input) return c.text(await inlineValues(store, castId, Buffer.from(input.bytes).toString("utf8"), MAX_FILE_BYTES));
  }
  const most = Math.min(asked.to - asked.from, MAX_FILE_BYTES);
  const part = await store.readArtifact(castId, at, { from: asked.from, maxBytes: most });
  return part ? rangeResponse(part.bytes, size, asked) : notFound(c);
}

function rangeResponse(bytes: Uint8Array, size: number, asked: AskedRange): Response {
  const isWhole = asked.from === 0 && bytes.length === size;
  return new Response(new Uint8Array(bytes), {
    status: isWhole && !asked.byHeader ? 200 : 206,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": "attachment",
      "accept-ranges": "bytes",
      "x-file-size": String(size),
      ...(bytes.length > 0
        ? { "content-range": `bytes ${asked.from}-${asked.from + bytes.length - 1}/${size}` }
        : { "content-range": `bytes */${size}` }),
    },
  });
}

interface AskedRange {
  readonly from: number;
  readonly to: number;
  readonly byHeader: boolean;
}

/** `Range: bytes=…` with one range, or `?from=`, which may stand at the end of a file that grows. */
function parseRange(c: Context, size: number): AskedRange | undefined {
  const from = c.req.query("from");
  if (from !== undefined) {
    const start = /^\d{1,15}$/.test(from) ? Number(from) : Infinity;
    return start <= size ? { from: start, to: size, byHeader: false } : undefined;
  }
  const range = c.req.header("range");
  if (range === undefined) return { from: 0, to: size, byHeader: false };
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return start < end ? { from: start, to: end, byHeader: true } : undefined;
}
