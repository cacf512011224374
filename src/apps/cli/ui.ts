import type { CommandOf } from "../../core/command/command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import { openPiHost } from "../../shell/workspace/agent-hosts.ts";
import type { OpenUi } from "../../shell/commands/open-ui.ts";
import type { ConfigContext } from "../../shell/config/config.ts";
import { listenForInterrupt, type CliContext, jsonText } from "./terminal/io.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "../../shell/system/files.ts";

interface UiOptions extends Pick<CliContext, "io" | "options"> {
  readonly place: ConfigContext;
  readonly artifacts: string | undefined;
  readonly openUi: OpenUi;
}

/** [N26] Serves until interrupted. */
export async function runUiCommand(
  command: CommandOf<"ui">,
  { io, options: { on, json }, place, artifacts, openUi }: UiOptions,
): Promise<Result<number>> {
  const server = await openUi({
    place,
    openReal: openPiHost,
    report: (problem) => io.err(`${sanitizeForTerminal(problem)}\n`),
    ...withoutUndefined({ artifacts, on, port: command.port }),
  });
  if (!server.ok) return server;
  const { url, close } = server.value;
  const interrupt = listenForInterrupt(io);
  io.out(json ? `${jsonText({ url })}\n` : `${url}\n`);
  const casts = on === undefined ? "" : ` with the casts of the fleet ${sanitizeForTerminal(on)}`;
  io.err(`Serving ${place.cwd}${casts} on this machine only. Anyone with the address can use it. Ctrl-C ends it.\n`);
  const opened = command.open ? await openInBrowser(url) : undefined;
  if (opened?.problem !== undefined)
    io.err(`The browser could not be opened: ${opened.problem}\nOpen the address above by hand.\n`);
  await new Promise<void>((resolve) => {
    if (interrupt.signal.aborted) resolve();
    interrupt.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  opened?.removeFile();
  await close();
  interrupt.stop();
  return ok(0);
}

/** Time for the browser to read the file. */
const REDIRECT_FILE_MS = 60_000;

/** [N29] Opens a secret address with the system's opener. Every user of the machine can read a program's arguments, so the opener gets a file that only this user can read; the file leads to the address. */
export async function openInBrowser(
  url: string,
  platform: NodeJS.Platform = process.platform,
): Promise<{ readonly problem?: string; readonly removeFile: () => void }> {
  let folder: string | undefined;
  const removeFile = (): void => (folder === undefined ? undefined : rmSync(folder, { recursive: true, force: true }));
  try {
    folder = mkdtempSync(join(tmpdir(), "materia-open-"));
    const file = join(folder, "open.html");
    writeFileSync(file, redirectPage(url), { mode: 0o600, flag: "wx" });
    const problem = await spawnOpener(openerCommand(platform, file));
    setTimeout(removeFile, REDIRECT_FILE_MS).unref();
    return { removeFile, ...withoutUndefined({ problem }) };
  } catch (thrown) {
    return { problem: errorText(thrown), removeFile };
  }
}

function redirectPage(url: string): string {
  const address = url.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>materia</title>
<p><a href="${address}">Open the web UI</a></p>
</html>
`;
}

/** Without a shell: a path may contain shell characters. */
function spawnOpener([program, ...args]: readonly [string, ...string[]]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true, shell: false });
    child.once("error", (thrown) => resolve(errorText(thrown)));
    child.once("spawn", () => {
      child.unref();
      resolve(undefined);
    });
  });
}

function openerCommand(platform: NodeJS.Platform, file: string): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open", file];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", file];
  return ["xdg-open", file];
}
