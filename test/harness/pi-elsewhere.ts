import { join } from "node:path";
import { openWorkspace } from "../../src/shell/casting/workspace.ts";
import { resumeCast } from "../../src/shell/casting/resume.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import { castIds } from "../../src/shell/store/casts.ts";
import { servePi } from "./agent-bodies.ts";

/** Answers the waiting cast of a project as the command line does, and tells what its model was asked. */
export async function answeredElsewhere(
  cwd: string,
  text: string,
  host: (options: { defaultModel: string }) => AgentHost,
): Promise<readonly string[]> {
  const server = await servePi([{ text: "Plan B" }]);
  const workspace = openWorkspace({ cwd, env: {} });
  if (!workspace.ok) throw new Error("no workspace");
  const done = await resumeCast(
    workspace.value,
    castIds(join(cwd, ".pi", "pi-materia"))[0] ?? "",
    {
      agents: { model: "local/small" },
      openReal: async () => host({ defaultModel: "local/small" }),
      trustsCast: true,
      nudge: { kind: "answer", text },
      by: "test",
    },
    { durability: "write", signal: new AbortController().signal, model: "local/small" },
  );
  if (!done.ok) throw new Error(JSON.stringify(done.issues));
  const [request] = server.requests;
  return (request?.messages ?? []).filter(({ role }) => role !== "system").map(({ content }) => wordsOf(content));
}

function wordsOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}
