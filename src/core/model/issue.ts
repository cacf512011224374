/** A problem that a user can cause and mend: what is wrong, where, and a way out where there is one. */
export interface Issue {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** The file it stands in; absent for what was typed. */
  readonly file?: string;
  /** The place in the file (`loadouts.Full-Auto.entry`) or the word on the command line. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
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

/** As many as there are: a list of any length cannot be passed as arguments. */
export function failAll(issues: readonly Issue[]): { readonly ok: false; readonly issues: readonly Issue[] } {
  return { ok: false, issues };
}

export function error(code: string, path: string, message: string, hint?: string): Issue {
  return { severity: "error", code, path, message, ...(hint === undefined ? {} : { hint }) };
}

export function warning(code: string, path: string, message: string, hint?: string): Issue {
  return { ...error(code, path, message, hint), severity: "warning" };
}

export function isError(issue: Issue): boolean {
  return issue.severity === "error";
}

/** Every value, or every problem of all of them: nobody mends a file one problem at a time. */
export function collect<T>(results: readonly Result<T>[]): Result<readonly T[]> {
  const issues = results.flatMap((result) => (result.ok ? [] : result.issues));
  return issues.length > 0 ? failAll(issues) : ok(results.flatMap((result) => (result.ok ? [result.value] : [])));
}

/** A place in a file as people write it; a key that is no plain word is quoted. */
export function pathText(keys: readonly (string | number)[]): string {
  return keys
    .map((key, index) => {
      const text = String(key);
      if (!/^[\w$:-]+$/.test(text)) return `[${JSON.stringify(text)}]`;
      return index === 0 ? text : `.${text}`;
    })
    .join("");
}
