import { readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Context, Hono } from "hono";
import { notFound } from "./body-and-reply.ts";
import { isInside } from "../../shell/system/folders.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>materia</title>
<h1>The page is not built yet</h1>
<p>Run <code>npm run build:webui</code> in the checkout, then load this page again.</p>
</html>
`;

/** [N24] The built page. It contains no project data and needs no token. Addresses without a file are views of the page. */
export function assetRoutes(app: Hono, folder: string): void {
  app.get("*", (c) => {
    const file = assetFile(folder, c.req.path);
    if (file !== undefined) return sendFile(c, file);
    if (c.req.path.includes(".")) return notFound(c);
    const page = assetFile(folder, "/index.html");
    return page === undefined ? c.html(NOT_BUILT_PAGE, 503) : sendFile(c, page);
  });
}

function assetFile(folder: string, path: string): string | undefined {
  if (!/^(?:\/[\w@-][\w@.-]*)+$/.test(path)) return undefined;
  const file = join(folder, path);
  try {
    return CONTENT_TYPES[extname(file)] !== undefined && statSync(file).isFile() && isInside(folder, file)
      ? file
      : undefined;
  } catch {
    return undefined;
  }
}

function sendFile(c: Context, file: string): Response {
  // A name with a hash never changes its content; the page itself changes with every version.
  const cache = /-[\w-]{8,}\.\w+$/.test(file) ? "public, max-age=31536000, immutable" : "no-cache";
  const bytes = new Uint8Array(readFileSync(file));
  return c.body(bytes, 200, { "content-type": CONTENT_TYPES[extname(file)] ?? "", "cache-control": cache });
}
