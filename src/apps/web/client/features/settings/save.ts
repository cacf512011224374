import { withSetting } from "../../../../../core/edit/text/file.ts";
import { ok, type Issue, type Result } from "../../../../../core/model/issue.ts";
import type { Json } from "../../../../../core/model/values/json.ts";
import type { EditableLayer } from "../../../../../core/wire/catalog.ts";
import { getConfig, putConfig } from "../../net/api.ts";
import { loadCatalog } from "../../data/use-catalog.ts";

interface ChangedSetting {
  readonly path: readonly string[];
  /** Null takes it out of the file. */
  readonly value: Json | null;
}

/** [E29] Writes what was changed into the file as it is now, and nothing else. Returns why not. */
export async function saveSettings(
  layer: EditableLayer,
  changes: readonly ChangedSetting[],
): Promise<readonly Issue[]> {
  const file = await getConfig(layer);
  if (!file.ok && file.status !== 404) return file.issues;
  const [before, etag] = file.ok ? [file.value.text, file.value.etag] : ["", null];
  const after = changes.reduce<Result<string>>(
    (text, { path, value }) => (text.ok ? withSetting(text.value, path, value) : text),
    ok(before),
  );
  if (!after.ok) return after.issues;
  const written = await putConfig(layer, after.value, etag);
  if (!written.ok) return written.issues;
  await loadCatalog();
  return written.value.issues.filter(({ severity }) => severity === "error");
}
