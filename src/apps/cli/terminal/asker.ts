import { resolve } from "node:path";
import { openPiHost } from "../../../shell/casting/workspace/hosts.ts";
import type { CommandCaller } from "../../../shell/commands/prepare.ts";
import { readStandardInput } from "./input.ts";
import { askForTrust } from "./person.ts";
import type { CliContext } from "./request.ts";

/** Who asks for a cast at a terminal. */
export async function commandCallerFor(request: CliContext): Promise<CommandCaller> {
  const { io, options } = request;
  // Like every file named on the command line, it is looked for where the command was typed.
  const named = options.rehearse === undefined ? {} : { rehearse: resolve(io.cwd, options.rehearse) };
  const texts = { from: io.cwd, readInput: (most: number) => readStandardInput(io, most) };
  return { options: { ...options, ...named }, openReal: openPiHost, texts, ...(await askForTrust(request)) };
}
