import { withMateriaRenamed } from "../../../core/edit/config-text.ts";
import type { EditableLayer } from "../../../core/wire/catalog.ts";
import { getConfig, putConfig, runCommand } from "../net/api.ts";
import { toast } from "../ui/toasts.tsx";
import { currentCatalog, loadCatalog } from "./use-catalog.ts";

const OTHER_LAYER = { user: "project", project: "user" } as const satisfies Record<EditableLayer, EditableLayer>;

/** [E27] Renames a materia in the file of the other layer too, unless one with the old name still exists. */
export async function renameInOtherLayer(layer: EditableLayer, was: string, now: string): Promise<void> {
  if (currentCatalog()?.materia.has(was) !== false) return;
  const other = OTHER_LAYER[layer];
  const file = await getConfig(other);
  if (!file.ok) return;
  const text = withMateriaRenamed(file.value.text, was, now);
  if (text === file.value.text) return;
  const written = await putConfig(other, text, file.value.etag);
  const where = `the ${other} file`;
  if (written.ok) {
    await loadCatalog();
    toast({ text: `${was} is renamed to ${now} in ${where} too.`, tone: "ok" });
    return;
  }
  const why = written.issues[0]?.message ?? "";
  const again = { label: "Try again", act: () => void renameInOtherLayer(layer, was, now) };
  toast({ text: `Cannot rename ${was} in ${where}: ${why}.`, tone: "bad", action: again });
}

/** [E25] Makes a loadout active, with the command `loadout`. */
export async function activateLoadout(name: string): Promise<void> {
  const answer = await runCommand({ command: { kind: "loadout", name } });
  if (!answer.ok) return answer.issues.forEach(({ message }) => toast({ text: message, tone: "bad" }));
  await loadCatalog();
  toast({ text: `${name} is the active loadout now.`, tone: "ok" });
}

/** [E25] Replaces the name of a renamed or deleted active loadout in the other file too. */
export async function updateActiveLoadout(was: string, now: string | null): Promise<void> {
  const catalog = currentCatalog();
  if (!catalog || catalog.settings.activeLoadout.value !== was || catalog.loadouts.has(was)) return;
  const next =
    now ?? [...catalog.loadouts.keys()].find((name) => name === "Full-Auto") ?? catalog.loadouts.keys().next().value;
  if (next !== undefined) await activateLoadout(next);
}
