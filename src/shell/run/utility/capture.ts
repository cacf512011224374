import type { Readable } from "node:stream";

const CAP = 1024 * 1024;

interface Capture {
  readonly text: () => string;
  readonly cut: () => boolean;
}

interface EndCapture extends Capture {
  /** The end, and before it the beginning where it was cut away: a program may say first what is wrong. */
  readonly told: () => string;
}

const BEGINNING = 4 * 1024;

/** [U7] The first mebibyte of a stream. The rest is read and dropped: a full pipe would stop the program. */
export function keepBeginning(stream: Readable | null, cap = CAP): Capture {
  const kept = Buffer.allocUnsafe(cap);
  let size = 0;
  let cut = false;
  stream?.on("data", (chunk: Buffer) => {
    const taken = chunk.copy(kept, size);
    size += taken;
    cut ||= taken < chunk.length;
  });
  return { text: () => decode(kept.subarray(0, size), cut), cut: () => cut };
}

/** [U7] The last mebibyte: what a program says before it fails stands at the end. */
export function keepEnd(stream: Readable | null): EndCapture {
  // Twice the cap, so that bytes are moved once per mebibyte and not with every chunk.
  const kept = Buffer.allocUnsafe(2 * CAP);
  const first = keepBeginning(stream, BEGINNING);
  let size = 0;
  let cut = false;
  stream?.on("data", (chunk: Buffer) => {
    cut ||= size + chunk.length > CAP;
    const part = chunk.subarray(-CAP);
    if (size + part.length > kept.length) {
      kept.copyWithin(0, size - CAP, size);
      size = CAP;
    }
    size += part.copy(kept, size);
  });
  const last = () => kept.subarray(Math.max(0, size - CAP), size);
  const text = () => decode(cut ? fromWholeCharacter(last()) : last(), false);
  return { text, cut: () => cut, told: () => (cut ? `${first.text()}\n…\n${text()}` : text()) };
}

/** A character of which the end was cut off is left out; a program's own broken bytes show as U+FFFD. */
function decode(bytes: Uint8Array, cutAtEnd: boolean): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: cutAtEnd });
}

function fromWholeCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 ? bytes.subarray(start) : bytes;
}
