import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const PROGRAMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["grep", ["rg"]],
  ["find", ["fd", "fdfind"]],
]);

type Environment = Readonly<Record<string, string | undefined>>;

/** [A32] Tools of Pi that cannot work here: their programs are missing, and Pi may not fetch them. */
export function unavailableTools(env: Environment = process.env): readonly string[] {
  if (!["1", "true", "yes"].includes(env["PI_OFFLINE"]?.toLowerCase() ?? "")) return [];
  const agentFolder = env["PI_CODING_AGENT_DIR"] ?? join(homedir(), ".pi", "agent");
  const folders = [join(agentFolder, "bin"), ...(env["PATH"] ?? "").split(delimiter).filter(Boolean)];
  const suffix = process.platform === "win32" ? ".exe" : "";
  const isThere = (program: string) => folders.some((folder) => existsSync(join(folder, `${program}${suffix}`)));
  return [...PROGRAMS].flatMap(([tool, programs]) => (programs.some(isThere) ? [] : [tool]));
}

/** [A32] The programs that would bring these tools back. */
export function programsOf(tools: readonly string[]): readonly string[] {
  return tools.flatMap((tool) => PROGRAMS.get(tool)?.slice(0, 1) ?? []);
}
