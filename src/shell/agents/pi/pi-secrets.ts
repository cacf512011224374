import { knowSecrets } from "../../secrets/redact.ts";
import { MOST_BYTES, readRegularText } from "../../system/regular-file.ts";
import type { PiModel, PiContext } from "./pi.ts";

/** [S7] All that Pi's own file of keys holds: an agent may read it, and a provider may repeat it. */
export function knowCredentials(file: string): void {
  try {
    const credentials: unknown = JSON.parse(readRegularText(file, MOST_BYTES.config));
    knowSecrets(stringsIn(credentials).map((value) => ({ name: "key of Pi", value })));
  } catch {
    // Pi itself says what is wrong with it.
  }
}

/** [S7] The key that a model is asked with, wherever Pi found it. */
export async function knowKeyOf({ runtime }: PiContext, model: PiModel): Promise<void> {
  try {
    const resolved = await runtime.getAuth(model);
    knowSecrets(stringsIn(resolved?.auth).map((value) => ({ name: `key of ${model.provider}`, value })));
  } catch {
    // Without a key the request itself fails, and says so.
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value, value.replace(/^Bearer /, "")];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => (PLAIN.has(key) ? [] : stringsIn(inner)));
}

/** What stands beside a key and is none. */
const PLAIN = new Set(["type", "baseUrl", "provider", "projectId", "email", "accountId", "scope"]);
