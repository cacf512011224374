import { stat } from "node:fs/promises";
import type { UtilityMateria } from "../../../core/model/materia.ts";
import { assertNever } from "../../../core/model/values/never.ts";
import { truncateMiddle, sanitizeForTerminal, oneLine } from "../../../core/model/values/text.ts";
import type { UtilityRequest } from "../../ports.ts";

export type UtilityFailure =
  | { readonly kind: "aborted_before" }
  | { readonly kind: "not_started"; readonly error: NodeJS.ErrnoException }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "timed_out"; readonly limitMs: number }
  | { readonly kind: "aborted" };

/** [U5] The command, how it ended, and the end of what it said. */
export async function describeFailure(failure: UtilityFailure, request: UtilityRequest, stderr: string): Promise<string> {
  const name = commandName(request.materia);
  switch (failure.kind) {
    case "aborted_before":
      return `${name} was not started because the cast was aborted`;
    case "not_started":
      return `${name} could not be started: ${await describeStartFailure(failure.error, request)}`;
    case "exited":
      return `${name} ${failure.signal ? `was ended by ${failure.signal}` : `exited with code ${failure.code}`}${standardErrorText(stderr)}`;
    case "timed_out":
      return `${name} took longer than ${timeLimitText(failure, request)} and was ended${standardErrorText(stderr)}`;
    case "aborted":
      return `${name} was ended because the cast was aborted${standardErrorText(stderr)}`;
    default:
      return assertNever(failure);
  }
}

function timeLimitText({ limitMs }: { readonly limitMs: number }, { limitText }: UtilityRequest): string {
  return limitText ?? `its timeoutMs of ${limitMs}`;
}

function commandName({ command, script }: UtilityMateria): string {
  if (!command) return `bundled utility ${JSON.stringify(script ?? "")}`;
  const words = command.map((word) => (/^[^\s"'`\\]+$/.test(word) ? word : JSON.stringify(word)));
  return `\`${oneLine(words.join(" "), 200)}\``;
}

async function describeStartFailure(error: NodeJS.ErrnoException, { materia, cwd }: UtilityRequest): Promise<string> {
  // The system says ENOENT for a missing folder and a missing program alike.
  const folder = await stat(cwd).catch(() => undefined);
  if (!folder?.isDirectory()) return `the folder ${oneLine(cwd, 200)} does not exist`;

  const program = oneLine(materia.command?.[0] ?? process.execPath, 200);
  if (error.code === "EACCES") return `${program} may not be executed; does it need chmod +x?`;
  if (error.code !== "ENOENT") return oneLine(error.message, 300);
  return program.includes("/")
    ? `${program} does not exist in ${oneLine(cwd, 200)}, or its first line names a missing interpreter`
    : `there is no program ${program}; is it installed and on PATH?`;
}

const STANDARD_ERROR_CHARS = { beginning: 500, end: 1_000 } as const;

/** [U5] With its lines, and with both its ends: some programs name the cause first, others last. */
function standardErrorText(printed: string): string {
  const text = sanitizeForTerminal(printed.replace(/\r\n?/g, "\n")).trim();
  return text === "" ? ", with nothing on standard error" : `: ${truncateMiddle(text, STANDARD_ERROR_CHARS)}`;
}
