import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";

// Read by the package when it is loaded: with it, it brings the libraries that a bare system lacks.
process.env["AWS_LAMBDA_JS_RUNTIME"] ??= "nodejs22.x";

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** A browser of its own for a file of tests. */
export async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: await unpacked(), args: FLAGS.split(" ") });
}

/** Unpacked by whichever test comes first: a program that another one still writes cannot be started. */
async function unpacked(): Promise<string> {
  const { default: chromium } = await import("@sparticuz/chromium");
  const [begun, done] = ["chromium-begun", "chromium-done"].map((name) => join(tmpdir(), name)) as [string, string];
  if (isFirst(begun)) {
    const program = await chromium.executablePath();
    writeFileSync(done, "");
    return program;
  }
  while (!existsSync(done)) await sleep(100);
  return chromium.executablePath();
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
