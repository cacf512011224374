import { closeSync, constants, existsSync, fstatSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hono } from "hono";
import * as v from "valibot";
import { SocketId } from "../../../../core/model/ids.ts";
import { error } from "../../../../core/model/issue.ts";
import { VisitFileName } from "../../../../core/wire/casts.ts";
import type { CastFolder } from "../../../../shell/store/cast-store.ts";
import { openRegular } from "../../../../shell/system/regular-file.ts";
import { notFound, refuse } from "../http/reply.ts";
import type { Served } from "./served.ts";
import { inCast } from "./casts.ts";
import { isInside } from "../http/inside.ts";

/** A longer file is read in pieces. */
const MOST_BYTES = 4 * 1024 * 1024;

/** [N14] The files of a visit, as text and never as anything a browser would run. */
export function castFileRoutes(app: Hono, served: Served): void {
  app.get("/api/casts/:id/files/:socket/:visit/:name", inCast(served, showFile));
}

function showFile(c: Context, { runDir }: CastFolder): Response {
  const { socket = "", visit = "", name = "" } = c.req.param() as Record<string, string | undefined>;
  if (!v.is(SocketId, socket) || !/^[1-9]\d{0,8}$/.test(visit) || !v.is(VisitFileName, name)) return notFound(c);
  const path = join(runDir, "sockets", socket, visit, name);
  // An event may be heard before the file it tells of is on the disk: that is no error, and no browser reports it as one.
  if (c.req.query("expected") !== undefined && !existsSync(path)) return c.body(null, 204);
  if (!isInside(runDir, path)) return notFound(c);
  let fd: number;
  try {
    // Without following a link that took the file's place just now.
    fd = openRegular(path, constants.O_NOFOLLOW);
  } catch {
    return notFound(c);
  }
  try {
    return showPart(c, fd, fstatSync(fd).size);
  } finally {
    closeSync(fd);
  }
}

function showPart(c: Context, fd: number, size: number): Response {
  const asked = askedRange(c, size);
  if (!asked) {
    c.header("content-range", `bytes */${size}`);
    return refuse(c, 416, error("bad_range", "Range", `there are ${size} bytes`));
  }
  const length = Math.min(asked.to - asked.from, MOST_BYTES);
  const buffer = Buffer.alloc(length);
  const bytes = buffer.subarray(0, readSync(fd, buffer, 0, length, asked.from));
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

interface Asked {
  readonly from: number;
  readonly to: number;
  readonly byHeader: boolean;
}

/** `Range: bytes=…` with one range, or `?from=`, which may stand at the end of a file that grows. */
function askedRange(c: Context, size: number): Asked | undefined {
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
