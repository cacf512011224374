import type { Readable } from "node:stream";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CAPTURE_BYTES = 1024 * 1024;

const BEGINNING_BYTES = 4 * 1024;

/** [U7] The first mebibyte of a stream. The rest is read and dropped: a full pipe would block the program. */
export function captureBeginning(stream: Readable | null, cap = CAPTURE_BYTES) {
  const kept = Buffer.allocUnsafe(cap);
  let size = 0;
  let cut = false;
  stream?.on("data", (chunk: Buffer) => {
    const taken = chunk.copy(kept, size);
    size += taken;
    cut ||= taken < chunk.length;
  });
  return { text: () => decode(kept.subarray(0, size), cut), isCut: () => cut };
}

/** [U7] The last mebibyte: the reason of a failure is usually at the end. */
export function captureEnd(stream: Readable | null) {
  // Twice the cap: bytes move once per mebibyte, not with every chunk.
  const kept = Buffer.allocUnsafe(2 * CAPTURE_BYTES);
  const first = captureBeginning(stream, BEGINNING_BYTES);
  let size = 0;
  let cut = false;
  stream?.on("data", (chunk: Buffer) => {
    cut ||= size + chunk.length > CAPTURE_BYTES;
    const part = chunk.subarray(-CAPTURE_BYTES);
    if (size + part.length > kept.length) {
      kept.copyWithin(0, size - CAPTURE_BYTES, size);
      size = CAPTURE_BYTES;
    }
    size += part.copy(kept, size);
  });
  const last = () => kept.subarray(Math.max(0, size - CAPTURE_BYTES), size);
  const text = () => decode(cut ? dropPartialCharacter(last()) : last(), false);
  // A program may name the cause first.
  return { text, isCut: () => cut, textWithBeginning: () => (cut ? `${first.text()}\n…\n${text()}` : text()) };
}

/** Drops a character that was cut in two; broken bytes of the program show as U+FFFD. */
function decode(bytes: Uint8Array, cutAtEnd: boolean): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: cutAtEnd });
}

function dropPartialCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 ? bytes.subarray(start) : bytes;
}

/** [Q2] One stream for both outputs, written to `end` and read from `reader`: two would lose the order. */
export async function openJoinedStreams() {
  const server = createServer();
  try {
    const address = socketAddress(process.platform);
    server.listen(address);
    await once(server, "listening");
    const end = connect(address);
    // Await both at once: either may come first.
    const [[reader]] = await Promise.all([once(server, "connection"), once(end, "connect")]);
    return { reader: reader as Socket, end }; // a server's connection is a socket
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    server.close();
  }
}

/** An unguessable name; on Linux without a file. */
function socketAddress(platform: NodeJS.Platform): string {
  const name = `pi-materia-${randomUUID()}`;
  if (platform === "linux") return `\0${name}`;
  return platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}
