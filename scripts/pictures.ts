// Takes the pictures of the documents: the demo in a terminal, and the casts of both demos in the web UI.
import { execFileSync, spawn as start } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import type { Page } from "playwright-core";
import { launchBrowser } from "../test/webui/browser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const materia = join(root, "bin/materia.mjs");
const scratch = mkdtempSync(join(tmpdir(), "materia-pictures-"));
// The browser unpacks itself there too.
process.env["TMPDIR"] = scratch;
const [COLUMNS, ROWS] = [92, 15];
/** The width of the page in pixels. */
const WIDTH = 1440;
const COLOURS = ["#6b7570", "#d9665c", "#3f9a5b", "#b97a1e", "#3c7fb1", "#8a6bd1", "#1f8aa6", "#d5dbd8"];

const pictures = join(root, "docs/pictures");
mkdirSync(pictures, { recursive: true });
writeFileSync(join(pictures, "cast-in-terminal.svg"), await terminalPicture(demoEnv("plain")));
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

/** The screen in the middle of the demo, when the first item is sent back to be done again. */
async function terminalPicture(env: NodeJS.ProcessEnv): Promise<string> {
  const screen = new xterm.Terminal({ cols: COLUMNS, rows: 60, allowProposedApi: true });
  const demo = spawn(process.execPath, [materia, "demo"], { cols: COLUMNS, rows: 60, env });
  let picture: string | undefined;
  await new Promise<void>((resolve) => {
    demo.onData((data) =>
      screen.write(data, () => {
        if (picture === undefined && /Auto-Eval \(Socket-6\)\s+visit 2/.test(textOf(screen))) picture = svgOf(screen);
      }),
    );
    demo.onExit(() => resolve());
  });
  if (picture === undefined) throw new Error(`the demo never showed its second visit:\n${textOf(screen)}`);
  return picture;
}

function textOf(screen: xterm.Terminal): string {
  return Array.from(
    { length: screen.rows },
    (_, row) => screen.buffer.active.getLine(row)?.translateToString(true) ?? "",
  ).join("\n");
}

function svgOf(screen: xterm.Terminal): string {
  const lines = Array.from({ length: ROWS }, (_, row) => {
    const line = screen.buffer.active.getLine(row);
    const cells = Array.from({ length: COLUMNS }, (__, column) => line?.getCell(column));
    const runs = cells.map((cell, column) => {
      const character = cell?.getChars() ?? "";
      if (character.trim() === "") return "";
      const colour = cell?.isFgDefault() ? "#d5dbd8" : (COLOURS[(cell?.getFgColor() ?? 7) % 8] ?? "#d5dbd8");
      const weight = cell?.isBold() ? ' font-weight="600"' : "";
      const faint = cell?.isDim() ? ' opacity="0.65"' : "";
      return `<tspan x="${16 + column * 8.4}" fill="${colour}"${weight}${faint}>${escape(character)}</tspan>`;
    });
    return `<text y="${34 + row * 19}">${runs.join("")}</text>`;
  });
  const [width, height] = [32 + COLUMNS * 8.4, 32 + ROWS * 19];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A cast in the terminal"><rect width="100%" height="100%" rx="8" fill="#0f1413"/><g font-family="ui-monospace, SFMono-Regular, Menlo, monospace" font-size="14">${lines.join("")}</g></svg>\n`;
}

function escape(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
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
  const ui = start(process.execPath, [materia, "ui", "--cwd", project], { stdio: ["ignore", "pipe", "ignore"] });
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
