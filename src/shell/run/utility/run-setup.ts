import type { UtilityMateria } from "../../../core/model/materia.ts";
import { countedText } from "../../../core/view/numbers.ts";
import { runUtility } from "./run-utility.ts";

const SETUP_MINUTES = 20;

export interface SetupCommand {
  /** The setting that names the program: there a person changes it. */
  readonly setting: "setup" | "worktree.setup";
  readonly command: readonly string[];
  /** The tree, before anybody works in it. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** [V1, B12] The answer is a sentence where the program failed. */
export async function runSetupCommand({ setting, command, cwd, signal }: SetupCommand): Promise<string | undefined> {
  const materia: UtilityMateria = { type: "utility", command: [...command], timeoutMs: SETUP_MINUTES * 60_000 };
  // Nobody wrote its `timeoutMs`: a reason that names it would send people to look for it.
  const limitText = `${countedText(SETUP_MINUTES, "minute")}, the most for any setup (let ${setting} do less, or find what it fetches in a cache),`;
  const outcome = await runUtility({ materia, input: {}, cwd, signal, limitText });
  return outcome.kind === "failed" ? outcome.reason : undefined;
}
