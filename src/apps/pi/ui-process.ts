import { spawn, type ChildProcess } from "node:child_process";
import type { CommandOf } from "../../core/command/command.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { oneLine } from "../../core/model/text.ts";
import { line } from "../../core/view/line.ts";
import { runningPiEnvironment } from "../../shell/agents/pi-sdk.ts";
import { packagePath } from "../../shell/system/package.ts";
import type { Draft } from "../../core/draft/draft.ts";
import { DRAFT_VARIABLE } from "../../shell/commands/open-ui.ts";
import { nodePath, optionWords } from "../../shell/commands/prepare-detached.ts";
import type { CommandContext } from "./casts/session-state.ts";

/** [X29] The web UI in a separate process, which ends with this session. */
export async function startUiProcess(
  context: CommandContext,
  { port, open }: CommandOf<"ui">,
  { on, draft }: { readonly on?: string | undefined; readonly draft?: Draft },
): Promise<Result<undefined>> {
  const { user, screen, state } = context;
  state.closeUi?.();
  const words = ["ui", ...optionWords({ cwd: user.ctx.cwd, port, on, open })];
  const handed = draft && { [DRAFT_VARIABLE]: JSON.stringify({ name: draft.name, config: draft.config }) };
  const child = spawn(nodePath(), [packagePath("bin", "materia.mjs"), ...words], {
    env: { ...process.env, ...runningPiEnvironment(), ...handed },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const address = await readAddress(child);
  if (!address.ok) return address;
  state.closeUi = () => child.kill();
  if (screen.isWatched) {
    // Shown and not stored: the address contains the token, and answers are written to the session.
    screen.note(`The web UI, until this session ends: ${address.value}`);
    return ok(undefined);
  }
  screen.showAnswer({ lines: [line(address.value)], data: { url: address.value }, code: 0 });
  await new Promise((resolve) => child.once("exit", resolve));
  return ok(undefined);
}

function readAddress(child: ChildProcess): Promise<Result<string>> {
  const { promise, resolve } = Promise.withResolvers<Result<string>>();
  let output = "";
  const hear = (chunk: unknown): void => {
    output += String(chunk);
    const found = /https?:\/\/\S+/.exec(output)?.[0];
    if (found !== undefined && /\s$/.test(output)) resolve(ok(found));
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  const refuse = (why: string): void =>
    resolve(failWith("page_unavailable", "ui", `the web UI could not be started: ${oneLine(why, 300)}`));
  child.once("error", (thrown) => refuse(thrown.message));
  child.once("exit", () => refuse(output));
  return promise;
}
