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
  const executablePath = await unpacked();
  return chromium.launch({ executablePath, args: FLAGS.split(" "), env: { ...process.env, FONTCONFIG_FILE: fonts() } });
}

const fonts = (): string => join(tmpdir(), "fonts.conf");

/** The fonts that come with the browser and no others: on every machine a text is as wide, also where there are none or `TMPDIR` is not `/tmp`. */
function writeFonts(): void {
  const [font, cache] = [join(tmpdir(), "fonts", "fonts"), join(tmpdir(), "fonts-cache")];
  writeFileSync(fonts(), `<fontconfig><dir>${font}</dir><cachedir>${cache}</cachedir></fontconfig>\n`);
}

/** Unpacked by whichever test comes first: a program that another one still writes cannot be started. */
async function unpacked(): Promise<string> {
  const { default: chromium } = await import("@sparticuz/chromium");
  const [begun, done] = ["chromium-begun", "chromium-done"].map((name) => join(tmpdir(), name)) as [string, string];
  if (isFirst(begun)) {
    const program = await chromium.executablePath();
    writeFonts();
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
