import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserServer, LaunchOptions } from "playwright-core";

// Read by the package when it is loaded: with it, it brings the libraries that a bare system lacks.
process.env["AWS_LAMBDA_JS_RUNTIME"] ??= "nodejs22.x";

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** A browser that ends with the caller. */
export async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch(await launchOptions());
}

async function launchOptions(): Promise<LaunchOptions> {
  const { default: chromium } = await import("@sparticuz/chromium");
  const executablePath = await chromium.executablePath();
  return { executablePath, args: FLAGS.split(" "), env: { ...process.env, FONTCONFIG_FILE: writeFonts() } };
}

/** The fonts that come with the browser and no others: on every machine a text is as wide, also where there are none or `TMPDIR` is not `/tmp`. */
function writeFonts(): string {
  const [font, cache] = [join(tmpdir(), "fonts", "fonts"), join(tmpdir(), "fonts-cache")];
  const file = join(tmpdir(), "fonts.conf");
  writeFileSync(file, `<fontconfig><dir>${font}</dir><cachedir>${cache}</cachedir></fontconfig>\n`);
  return file;
}

/** Where the browser of all tests says how it is reached, or why it did not start. */
const addressFile = (): string => join(tmpdir(), "browser-address");

/** Starts the browser of all tests, in the process that starts the tests, and starts it again when it crashes. Returns what ends it. */
export async function startBrowserServer(): Promise<() => Promise<void>> {
  const { chromium } = await import("playwright-core");
  const options = await launchOptions();
  let isOver = false;
  let server: BrowserServer | undefined;
  const start = async (): Promise<void> => {
    server = await chromium.launchServer(options);
    if (isOver) return server.close();
    tellAddress(server.wsEndpoint());
    // The end of the run may end the browser first, and remove its files: a failed restart then concerns no test.
    server.on("close", () => void (isOver || start().catch(tellNoBrowser)));
  };
  await start();
  return async () => {
    isOver = true;
    await server?.close();
  };
}

/** Tests that wait for a browser fail with the reason. */
export function tellNoBrowser(problem: unknown): void {
  if (existsSync(tmpdir())) tellAddress(`no browser: ${String(problem)}`);
}

/** In one step: a test that finds the file must not find it empty. */
function tellAddress(address: string): void {
  writeFileSync(`${addressFile()}.new`, address);
  renameSync(`${addressFile()}.new`, addressFile());
}

/** The browser of all tests. It is started while the first tests run. */
export async function connectBrowser(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  while (!existsSync(addressFile())) await sleep(50);
  return chromium.connect(readFileSync(addressFile(), "utf8"));
}
