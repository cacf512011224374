import { registerSecrets } from "../../secrets/redact.ts";
import { MAX_FILE_BYTES, readRegularText } from "../../system/regular-file.ts";
import type { PiModel, PiContext } from "./pi.ts";

/** [S7] All that Pi's own file of keys holds: an agent may read it, and a provider may repeat it. */
export function registerCredentials(file: string): void {
  try {
    const credentials: unknown = JSON.parse(readRegularText(file, MAX_FILE_BYTES.config));
    registerSecrets(collectStrings(credentials).map((value) => ({ name: "key of Pi", value })));
  } catch {
    // Pi itself says what is wrong with it.
  }
}

/** [S7] The key that a model is asked with, wherever Pi found it. */
export async function registerModelKey({ runtime }: PiContext, model: PiModel): Promise<void> {
  try {
    const resolved = await runtime.getAuth(model);
    registerSecrets(collectStrings(resolved?.auth).map((value) => ({ name: `key of ${model.provider}`, value })));
  } catch {
    // Without a key the request itself fails, and says so.
  }
}

function collectStrings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value, value.replace(/^Bearer /, "")];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => (NON_SECRET_FIELDS.has(key) ? [] : collectStrings(inner)));
}

/** What stands beside a key and is none. */
const NON_SECRET_FIELDS = new Set(["type", "baseUrl", "provider", "projectId", "email", "accountId", "scope"]);
