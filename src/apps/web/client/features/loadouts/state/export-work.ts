import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { exportLoadoutText, requiredMateria } from "../../../../../../core/edit/carry.ts";
import { entryText } from "../../../../../../core/edit/text/file.ts";
import { downloadText } from "../../../browser/download.ts";
import { getConfig } from "../../../net/api.ts";
import type { OpenLoadoutDraft } from "./works.ts";

/** [E16] The loadout as it is in hand, with the materia that it needs as their files spell them. */
export async function exportLoadout({ name, history, brings }: OpenLoadoutDraft, catalog: Catalog): Promise<void> {
  const files = await Promise.all((["user", "project"] as const).map((layer) => getConfig(layer)));
  const texts = files.flatMap((file) => (file.ok ? [{ layer: file.value.layer, text: file.value.text }] : []));
  const textOf = (materia: string): string | undefined => {
    const layer = catalog.materia.get(materia)?.layer;
    const file = texts.find((each) => each.layer === layer);
    return (file && entryText(file.text, "materia", materia)) ?? brings.find((each) => each.name === materia)?.text;
  };
  const { loadout, text } = history.present;
  downloadText(`${name}.json`, exportLoadoutText(name, text, requiredMateria(loadout, catalog, textOf)));
}
