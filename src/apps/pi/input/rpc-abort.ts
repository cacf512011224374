import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import * as v from "valibot";

const Abort = v.looseObject({ type: v.literal("abort") });

/**
 * [X35] What a client of the RPC mode asks for reaches only Pi's own session, which is at rest while an agent works in
 * another one; so its `abort` is heard where it comes in. The answer stops listening.
 */
export function onRpcAbort({ mode }: ExtensionContext, abort: () => void): () => void {
  const { stdin } = process;
  // Where nobody reads it, a listener would begin to.
  if (mode !== "rpc" || stdin.listenerCount("data") === 0) return () => undefined;
  let rest = "";
  const hear = (chunk: unknown): void => {
    const lines = `${rest}${String(chunk)}`.split("\n");
    rest = lines.pop() ?? "";
    if (lines.some(isAbort)) abort();
  };
  stdin.on("data", hear);
  return () => void stdin.off("data", hear);
}

function isAbort(line: string): boolean {
  if (!line.includes('"abort"')) return false;
  try {
    return v.is(Abort, JSON.parse(line));
  } catch {
    return false;
  }
}
