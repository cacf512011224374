import { runSetupCommand } from "../../run/run-utility.ts";

export interface FetchTreeOptions {
  readonly signal: AbortSignal;
  /** Called before a program sets the tree up, which may take long. */
  readonly onSetup: () => Promise<void>;
}

/** [B52] Why a setup failed. */
export async function runSetups(
  cwd: string,
  commands: { readonly setup: readonly string[] | undefined; readonly item: readonly string[] | undefined },
  { signal, onSetup }: FetchTreeOptions,
): Promise<string | undefined> {
  const setups = [
    { setting: "setup", command: commands.setup },
    { setting: "worktree.setup", command: commands.item },
  ] as const;
  for (const { setting, command } of setups) {
    if (!command) continue;
    await onSetup();
    const problem = await runSetupCommand({ setting, command, cwd, signal });
    if (problem !== undefined) return `${setting} failed: ${problem}`;
  }
  return undefined;
}
