import type { Line } from "../../core/view/line.ts";

/** What a command that starts no cast answers: a value for programs and lines for people. Printing is the face's part. */
export interface CommandOutput {
  readonly code: number;
  readonly data: unknown;
  readonly lines: (width: number) => readonly Line[];
  /** What another program reads in place of the lines, byte for byte. */
  readonly piped?: Uint8Array;
}
