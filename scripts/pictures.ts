// The pictures of the README, taken from the real thing: the demo in a terminal, and its cast in the web UI.
import { spawn as start } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { launchBrowser } from "../test/webui/browser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const materia = join(root, "bin/materia.mjs");
const scratch = mkdtempSync(join(tmpdir(), "materia-pictures-"));
// The browser is unpacked there too.
process.env["TMPDIR"] = scratch;
const [COLUMNS, ROWS] = [92, 15];
const COLOURS = ["#6b7570", "#d9665c", "#3f9a5b", "#b97a1e", "#3c7fb1", "#8a6bd1", "#1f8aa6", "#d5dbd8"];

mkdirSync(join(root, "docs/pictures"), { recursive: true });
writeFileSync(join(root, "docs/pictures/cast-in-terminal.svg"), await terminalPicture());
await webPicture(join(root, "docs/pictures/cast-in-browser.png"));

/** The screen in the middle of the demo, when the first item is sent back to be done again. */
async function terminalPicture(): Promise<string> {
  const screen = new xterm.Terminal({ cols: COLUMNS, rows: 60, allowProposedApi: true });
  const env = { ...process.env, TERM: "xterm-256color", FORCE_COLOR: "1" };
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

async function webPicture(file: string): Promise<void> {
  const [demo = ""] = readdirSync(scratch).filter((name) => name.startsWith("materia-demo-"));
  const project = join(scratch, demo, "slugline");
  const ui = start(process.execPath, [materia, "ui", "--cwd", project], { stdio: ["ignore", "pipe", "ignore"] });
  const url = await new Promise<string>((resolve) =>
    ui.stdout.once("data", (data: Buffer) => resolve(data.toString().trim())),
  );
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light" });
    await page.goto(url);
    await page.getByText("Add a length limit").first().click();
    await page.getByText("Two commits, nine tests").waitFor();
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
    ui.kill("SIGTERM");
  }
}
