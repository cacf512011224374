import type { Io } from "./io.ts";

/** [C29] Standard input to its end; nothing where it is longer than `most`. */
export async function readStandardInput(io: Pick<Io, "err" | "stdin">, most: number): Promise<Buffer | undefined> {
  if (io.stdin.isTTY) io.err("Type the text, then Enter and Ctrl-D.\n");
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of io.stdin as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
