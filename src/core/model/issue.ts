import type { IssueCode } from "./issue-codes.ts";

export type KeyPath = readonly (string | number)[];

/** A problem that a user can cause and mend: what is wrong, where, and a way out where there is one. `info` is none, only worth knowing. */
export interface Issue {
  readonly severity: "error" | "warning" | "info";
  readonly code: IssueCode;
  /** The file it stands in; absent for what was typed. */
  readonly file?: string;
  /** The place in the file, or the word that was typed as the only key; text only where it is shown. */
  readonly path: KeyPath;
  readonly message: string;
  readonly hint?: string;
  /** The same hint in parts, where it suggests commands to type. */
  readonly hintParts?: HintParts;
}

export type HintParts = readonly (string | SuggestedCommand)[];

/** A command to type, without the name of the program: `recast 3f2 --accept`. */
export interface SuggestedCommand {
  readonly typed: string;
}

/** A hint with commands in it: suggest`stop it with ${typed`abort ${castId}`}`. */
export function suggest(texts: TemplateStringsArray, ...values: readonly (string | SuggestedCommand)[]): HintParts {
  return texts.flatMap((text, index) => {
    const value = values[index];
    return value === undefined ? [text] : [text, value];
  });
}

export function typed(texts: TemplateStringsArray, ...values: readonly string[]): SuggestedCommand {
  return { typed: String.raw({ raw: texts }, ...values) };
}

function hintText(parts: HintParts): string {
  return parts.map((part) => (typeof part === "string" ? part : `"materia ${part.typed}"`)).join("");
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(...issues: readonly Issue[]): { readonly ok: false; readonly issues: readonly Issue[] } {
  return { ok: false, issues };
}

export function failWith(...parts: Parameters<typeof error>): ReturnType<typeof fail> {
  return fail(error(...parts));
}

/** As many as there are: a list of any length cannot be passed as arguments. */
export function failAll(issues: readonly Issue[]): { readonly ok: false; readonly issues: readonly Issue[] } {
  return { ok: false, issues };
}

/** `place` is the keys of a place in a file, or one word: an option, a name, what was typed. */
export function error(code: IssueCode, place: KeyPath | string, message: string, hint?: string | HintParts): Issue {
  const path = typeof place !== "string" ? place : place === "" ? [] : [place];
  const issue: Issue = { severity: "error", code, path, message };
  if (hint === undefined) return issue;
  return typeof hint === "string" ? { ...issue, hint } : withHintParts(issue, hint);
}

export function withHintParts(issue: Issue, hintParts: HintParts): Issue {
  return { ...issue, hint: hintText(hintParts), hintParts };
}

export function warning(code: IssueCode, place: KeyPath | string, message: string, hint?: string | HintParts): Issue {
  return { ...error(code, place, message, hint), severity: "warning" };
}

export function info(code: IssueCode, place: KeyPath | string, message: string): Issue {
  return { ...error(code, place, message), severity: "info" };
}

export function isError(issue: Issue): boolean {
  return issue.severity === "error";
}

/** [S14] Whether something was refused because the cast is one of somebody else, which a person may agree to. */
export function hasForeignCastIssue(issues: readonly Issue[]): boolean {
  return issues.some(({ code }) => code === "foreign_cast");
}

export function issuesText(issues: readonly Issue[]): string {
  return issues.map(({ message }) => message).join("; ");
}

/** Every value, or every problem of all of them: nobody mends a file one problem at a time. */
export function collectResults<T>(results: readonly Result<T>[]): Result<readonly T[]> {
  const issues = results.flatMap((result) => (result.ok ? [] : result.issues));
  return issues.length > 0 ? failAll(issues) : ok(results.flatMap((result) => (result.ok ? [result.value] : [])));
}

/** A place as people write it: the first key or the typed word as it is, behind it what is no plain word quoted. */
export function pathText(path: KeyPath): string {
  return path
    .map((key, index) => {
      const text = String(key);
      // A line break in a name must not break the listing it is shown in.
      if (index === 0 && !/[\u0000-\u001f]/.test(text)) return text;
      return /^[\w$:-]+$/.test(text) ? `.${text}` : `[${JSON.stringify(text)}]`;
    })
    .join("");
}
