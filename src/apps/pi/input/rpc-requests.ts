import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import * as v from "valibot";

const RpcRequest = v.looseObject({ type: v.picklist(["abort", "clear_queue"]) });
type RpcRequestName = v.InferOutput<typeof RpcRequest>["type"];

/**
 * [X35, X36] What a client of the RPC mode asks for reaches only Pi's own session, which is at rest while an agent works in
 * another one; so it is heard where it comes in. The answer stops listening.
 */
export function onRpcRequests({ mode }: ExtensionContext, act: Readonly<Record<RpcRequestName, () => void>>): () => void {
  const { stdin } = process;
  // Where nobody reads it, a listener would begin to.
  if (mode !== "rpc" || stdin.listenerCount("data") === 0) return () => undefined;
  let rest = "";
  const hear = (chunk: unknown): void => {
    const lines = `${rest}${String(chunk)}`.split("\n");
    rest = lines.pop() ?? "";
    for (const name of lines.flatMap(parseRpcRequest)) act[name]();
  };
  stdin.on("data", hear);
  return () => void stdin.off("data", hear);
}

function parseRpcRequest(line: string): readonly RpcRequestName[] {
  if (!line.includes('"abort"') && !line.includes('"clear_queue"')) return [];
  try {
    const request = v.safeParse(RpcRequest, JSON.parse(line));
    return request.success ? [request.output.type] : [];
  } catch {
    return [];
  }
}
