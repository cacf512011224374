/** Shells that completion supports. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The report of a cast, or one visit of it (`Socket-4#2`). */
export interface ShowCommand {
  readonly kind: "show";
  readonly castId?: string;
  readonly visit?: string;
  /** Every text in full. */
  readonly full?: true;
  readonly markdown?: true;
  /** [C53] What the agent of the visit was sent, in its parts. */
  readonly prompt?: true;
  /** Of a long cast, from 1; the last one if unset. */
  readonly page?: number;
}

/** The files that a cast, a visit (`Socket-4#2`) or an item (`WI-2`) changed. */
export interface DiffCommand {
  readonly kind: "diff";
  readonly castId?: string;
  readonly place?: string;
  readonly as: "patch" | "stat" | "names";
}

/** The files as they were at the end of a cast or of a visit. */
export interface RestoreCommand {
  readonly kind: "restore";
  readonly castId: string;
  readonly visit?: string;
  readonly to?: string;
  readonly here: boolean;
}

/** [TM1] The spans of a cast, to look at or to send. */
export interface ExportCommand {
  readonly kind: "export";
  readonly castId?: string;
  readonly sends?: true;
  /** The collector; the configured one if unset. */
  readonly url?: string;
}

/** Opens the conversation of a visit (`Socket-4#2`, or its number in the cast) in Pi. */
export interface OpenCommand {
  readonly kind: "open";
  readonly castId?: string;
  readonly visit?: string;
  readonly trust?: true;
}

export interface CompletionCommand {
  readonly kind: "completion";
  /** The script for a shell, or completions of the last word. */
  readonly wants: { readonly shell: Shell } | { readonly words: readonly string[] };
}
