import type { Graph } from "../../core/compile/graph.ts";
import { sandboxesOf, undecidedUtilities } from "../../core/compile/sandboxes.ts";
import { error, type Issue } from "../../core/model/issue.ts";
import { didYouMean } from "../../core/model/text.ts";
import { checkToolsPlace } from "../agents/tool-process.ts";
import { readSandboxes, userConfigFile, type ConfigContext } from "../config/config.ts";
import { findSandbox } from "../process/sandbox.ts";
import { currentToolsUser } from "../process/tools-user.ts";

/** [YP9, YP10] Starts each sandbox of a graph once; every one that is missing or does not start is an issue. */
export async function sandboxIssues(
  graph: Graph,
  { env, cwd }: Pick<ConfigContext, "env" | "cwd">,
): Promise<readonly Issue[]> {
  const wanted = sandboxesOf(graph);
  if (wanted.size === 0) return [];
  const profiles = readSandboxes(env);
  const file = userConfigFile(env);
  const names = Object.keys(profiles);
  const hint = "write the name of one of them, or none, as its sandbox";
  const undecided = undecidedUtilities(graph).map((materia) =>
    error("unusable_sandbox", ["materia", materia, "sandbox"], "the agents of this cast have several sandboxes", hint),
  );
  const checked = [...wanted].map(async ([name, materia]): Promise<readonly Issue[]> => {
    const path = ["materia", materia, "sandbox"];
    const { command } = findSandbox(profiles, name);
    if (!command) {
      const known = names.length === 0 ? `define it under "sandboxes" in ${file}` : `there are ${names.join(", ")}`;
      const message = `your own configuration has no sandbox "${name}"`;
      return [error("unknown_sandbox", path, message, didYouMean(name, names) ?? known)];
    }
    const problem = await checkToolsPlace({ user: currentToolsUser(), sandbox: { name, command } }, cwd);
    if (problem === undefined) return [];
    const message = `the sandbox "${name}" does not start here: ${problem}`;
    return [error("unusable_sandbox", path, message, `mend its command in ${file}; nothing runs without it`)];
  });
  return [...undecided, ...(await Promise.all(checked)).flat()];
}
