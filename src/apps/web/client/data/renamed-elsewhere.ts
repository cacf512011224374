import { withMateriaRenamed } from "../../../../core/edit/text/file.ts";
import type { EditableLayer } from "../../../../core/wire/catalog.ts";
import type { NamingTests, Rename } from "../../../../core/wire/testing.ts";
import { openStore, type Store } from "../browser/store.ts";
import { getConfig, putConfig, renameInTests } from "../net/api.ts";
import { toast } from "../parts/controls/toasts.tsx";
import { knownCatalog, readCatalog } from "./use-catalog.ts";

const OTHER = { user: "project", project: "user" } as const satisfies Record<EditableLayer, EditableLayer>;

/** [E27] What a file of the other layer says of a materia that has just been renamed follows, unless one of the old name is still there. */
export async function followRename(layer: EditableLayer, was: string, now: string): Promise<void> {
  if (knownCatalog()?.materia.has(was) !== false) return;
  const other = OTHER[layer];
  const file = await getConfig(other);
  if (!file.ok) return;
  const text = withMateriaRenamed(file.value.text, was, now);
  if (text === file.value.text) return;
  const written = await putConfig(other, text, file.value.etag);
  const where = `the ${other} file`;
  if (written.ok) {
    await readCatalog();
    toast({ text: `${was} is ${now} in ${where}, too.`, tone: "ok" });
    return;
  }
  const why = written.issues[0]?.message ?? "";
  const again = { label: "Try again", act: () => void followRename(layer, was, now) };
  toast({ text: `${where} still says ${was}: ${why}.`, tone: "bad", action: again });
}

/** [E31] What was renamed last, and the tests that still say its old name; null where none does. */
export const stillNamed: Store<(Rename & NamingTests) | null> = openStore<(Rename & NamingTests) | null>(null);

/** [E31] Tests see the project's file, not the user's. */
export async function findInTests(rename: Rename): Promise<void> {
  const answer = await renameInTests(rename);
  stillNamed.set(answer.ok && answer.value.tests.length > 0 ? { ...rename, ...answer.value } : null);
}
