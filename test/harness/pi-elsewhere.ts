import { loadWorkspace, findCast } from "../../src/shell/workspace/workspace.ts";
import { prepareResume } from "../../src/shell/casting/resume-cast.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import { servePi } from "./agent-bodies.ts";

/** Answers the waiting cast of a project as the command line does, and tells what its model was asked. */
export async function answeredElsewhere(
  cwd: string,
  text: string,
  host: (options: { defaultModel: string }) => AgentHost,
): Promise<readonly string[]> {
  const server = await servePi([{ text: "Plan B" }]);
  const workspace = loadWorkspace({ cwd, env: {} });
  if (!workspace.ok) throw new Error("no workspace");
  const { store } = workspace.value;
  const castId = await findCast(store, undefined);
  if (!castId.ok) throw new Error("no cast");
  const asked = { castId: castId.value, how: { kind: "answer", text }, by: "test", trustsCast: true } as const;
  const openReal = async () => host({ defaultModel: "local/small" });
  const ready = await prepareResume(workspace.value, asked, { model: "local/small", openReal });
  if (!ready.ok) throw new Error(JSON.stringify(ready.issues));
  const done = await ready.value.run({ signal: new AbortController().signal });
  if (!done.ok) throw new Error(JSON.stringify(done.issues));
  const [request] = server.requests;
  return (request?.messages ?? []).filter(({ role }) => role !== "system").map(({ content }) => wordsOf(content));
}

function wordsOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}
