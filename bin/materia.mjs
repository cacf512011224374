#!/usr/bin/env node
import { existsSync } from "node:fs";
import * as module from "node:module";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`materia needs Node 22.19 or newer, and this is ${process.version}.`);
  console.error('In a checkout, "npm ci" brings a newer Node and "npx materia" uses it.');
  process.exit(2);
}
module.enableCompileCache?.();
// The published package holds one bundled file; a checkout runs its sources.
const sources = new URL("../src/apps/cli/start.ts", import.meta.url);
const bundled = new URL("../dist/cli.js", import.meta.url);
if (existsSync(sources) && asksForPage(process.argv.slice(2))) await import("./page.mjs");
await import(existsSync(sources) ? sources.href : bundled.href);

function asksForPage(words) {
  const flags = ["--json", "--no-color", "--quiet", "--help"];
  let at = 0;
  while (words[at]?.startsWith("--")) at += flags.includes(words[at]) || words[at].includes("=") ? 1 : 2;
  return words[at] === "ui";
}
