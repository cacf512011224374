// Takes the pictures of the documents: the casts of both demos in the web UI.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { launchBrowser } from "../test/webui/browser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const materia = join(root, "bin/materia.mjs");
const scratch = mkdtempSync(join(tmpdir(), "materia-pictures-"));
// The browser unpacks itself there too.
process.env["TMPDIR"] = scratch;
/** The width of the page in pixels. */
const WIDTH = 1440;

const pictures = join(root, "docs/pictures");
mkdirSync(pictures, { recursive: true });
execFileSync(process.execPath, [materia, "demo"], { env: demoEnv("plain"), stdio: "ignore" });
await takeCastPicture(demoProject("plain"));
execFileSync(process.execPath, [materia, "demo", "--parallel"], { env: demoEnv("parallel"), stdio: "ignore" });
await takeParallelPicture(demoProject("parallel"));
rmSync(scratch, { recursive: true });

/** Each demo has its own folder, so that its project can be found. */
function demoEnv(name: string): NodeJS.ProcessEnv {
  const folder = join(scratch, name);
  mkdirSync(folder);
  return { ...process.env, TMPDIR: folder, TERM: "xterm-256color", FORCE_COLOR: "1" };
}

function demoProject(name: string): string {
  const [demo = ""] = readdirSync(join(scratch, name)).filter((entry) => entry.startsWith("materia-demo-"));
  return join(scratch, name, demo, "slugline");
}

/** The whole page of a finished cast. */
async function takeCastPicture(project: string): Promise<void> {
  await withPage(project, { height: 900, scale: 1 }, async (page) => {
    await page.getByText("Add a length limit").first().click();
    await page.getByText("Two commits, nine tests").waitFor();
    await page.screenshot({ path: join(pictures, "cast-in-browser.png") });
  });
}

/** The timeline and the last visit of a parallel cast. Its graph is too large to be read in a picture. */
async function takeParallelPicture(project: string): Promise<void> {
  const height = 850;
  await withPage(project, { height, scale: 1.5 }, async (page) => {
    await page.getByText("Let people choose").first().click();
    await page.getByText("Four commits, all tests passing").waitFor();
    const graph = await page.getByRole("region", { name: "Graph", exact: true }).boundingBox();
    if (!graph) throw new Error("the page shows no graph");
    const [x, y] = [graph.x + graph.width, graph.y - 10];
    const clip = { x, y, width: WIDTH - x, height: height - y };
    await page.screenshot({ path: join(pictures, "parallel-cast.png"), clip });
  });
}

/** Serves the project and opens its page. */
async function withPage(
  project: string,
  { height, scale }: { readonly height: number; readonly scale: number },
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const ui = spawn(process.execPath, [materia, "ui", "--cwd", project], { stdio: ["ignore", "pipe", "ignore"] });
  const url = await new Promise<string>((resolve) =>
    ui.stdout.once("data", (data: Buffer) => resolve(data.toString().trim())),
  );
  const browser = await launchBrowser();
  try {
    const viewport = { width: WIDTH, height };
    const page = await browser.newPage({ viewport, deviceScaleFactor: scale, colorScheme: "light" });
    await page.goto(url);
    await use(page);
  } finally {
    await browser.close();
    ui.kill("SIGTERM");
  }
}
