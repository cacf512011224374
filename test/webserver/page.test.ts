import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { project, site, type Site } from "./harness.ts";

function built(): Site {
  const from = project();
  const folder = join(from.cwd, "dist");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<!doctype html>page");
  writeFileSync(join(folder, "assets", "app-1a2b3c4d.js"), "script");
  writeFileSync(join(folder, ".secret"), "secret");
  writeFileSync(join(from.cwd, "outside.js"), "secret");
  symlinkSync(join(from.cwd, "outside.js"), join(folder, "link.js"));
  return site(from, { assets: folder });
}

it("[N52] a script is sent as it was compressed, to a browser that accepts it", async () => {
  const at = built();
  const packed = gzipSync("script");
  writeFileSync(join(at.cwd, "dist/assets/app-1a2b3c4d.js.gz"), packed);
  const ask = (encoding: string) =>
    at.ask("/assets/app-1a2b3c4d.js", { headers: { authorization: "", "accept-encoding": encoding } });
  const sent = await ask("gzip, deflate");
  expect([sent.headers.get("content-encoding"), sent.headers.get("vary")]).toEqual(["gzip", "Accept-Encoding"]);
  expect(Buffer.from(await sent.arrayBuffer()).equals(packed)).toBe(true);
  for (const encoding of ["", "br", "gzip;q=0"]) {
    const plain = await ask(encoding);
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, "script"]);
  }
  expect((await at.ask("/assets/app-1a2b3c4d.js.gz", anonymous)).status).toBe(404);
});

const anonymous = { headers: { authorization: "" } };

it.each<[rule: string, path: string, type: string, cache: string, text: string]>([
  ["[N24] the page", "/", "text/html; charset=utf-8", "no-cache", "<!doctype html>page"],
  [
    "[N24] a view of the page",
    "/casts/20260101-000000-aaaaa",
    "text/html; charset=utf-8",
    "no-cache",
    "<!doctype html>page",
  ],
  ["[N24] with a query", "/?token=x", "text/html; charset=utf-8", "no-cache", "<!doctype html>page"],
  [
    "[N24] a script",
    "/assets/app-1a2b3c4d.js",
    "text/javascript; charset=utf-8",
    "public, max-age=31536000, immutable",
    "script",
  ],
])("%s", async (_rule, path, type, cache, text) => {
  const answer = await built().ask(path, anonymous);
  expect([
    answer.status,
    answer.headers.get("content-type"),
    answer.headers.get("cache-control"),
    await answer.text(),
  ]).toEqual([200, type, cache, text]);
});

it.each<[rule: string, path: string]>([
  ["[N4] a script that is not there", "/assets/other.js"],
  ["[N4] a hidden file", "/.secret"],
  ["[N4] a parent", "/..%2foutside.js"],
  ["[N4] a parent in parts", "/assets/%2e%2e/%2e%2e/outside.js"],
  ["[N4] a backslash", "/..%5coutside.js"],
  ["[N4] a link that leads out", "/link.js"],
])("%s", async (_rule, path) => {
  const answer = await built().ask(path, anonymous);
  expect([answer.status, (await answer.text()).includes("secret")]).toEqual([404, false]);
});

it("[N24] without a build the page says how to make one", async () => {
  const answer = await site().ask("/", anonymous);
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("npm run build:webui")]);
});
