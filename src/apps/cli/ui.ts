import type { Command } from "../../core/command/command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import { openPiHost } from "../../shell/workspace/agent-hosts.ts";
import type { OpenUi } from "../../shell/commands/open-ui.ts";
import type { ConfigContext } from "../../shell/config/config.ts";
import { openInBrowser } from "./open-browser.ts";
import { listenForInterrupt } from "./terminal/interrupt.ts";
import type { Io } from "./terminal/io.ts";
import { jsonText } from "./terminal/print.ts";
import { withoutUndefined } from "../../core/model/json.ts";

interface UiOptions {
  readonly io: Io;
  readonly place: ConfigContext;
  readonly artifacts: string | undefined;
  readonly on: string | undefined;
  readonly openUi: OpenUi;
  readonly json: boolean;
}

/** [N26] Serves until interrupted. */
export async function runUiCommand(
  command: Extract<Command, { kind: "ui" }>,
  options: UiOptions,
): Promise<Result<number>> {
  const { io, place, artifacts, on, openUi, json } = options;
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
