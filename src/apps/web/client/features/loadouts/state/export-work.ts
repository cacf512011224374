import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { exportedText, neededMateria } from "../../../../../../core/edit/carry.ts";
import { entryText } from "../../../../../../core/edit/text/file.ts";
import { download } from "../../../browser/download.ts";
import { getConfig } from "../../../net/api.ts";
import type { Work } from "./works.ts";

/** [E16] The loadout as it is in hand, with the materia that it needs as their files spell them. */
export async function exportWork({ name, history, brings }: Work, catalog: Catalog): Promise<void> {
  const files = await Promise.all((["user", "project"] as const).map((layer) => getConfig(layer)));
  const texts = files.flatMap((file) => (file.ok ? [{ layer: file.value.layer, text: file.value.text }] : []));
  const textOf = (materia: string): string | undefined => {
    const layer = catalog.materia.get(materia)?.layer;
    const file = texts.find((each) => each.layer === layer);
    return (file && entryText(file.text, "materia", materia)) ?? brings.find((each) => each.name === materia)?.text;
  };
  const { loadout, text } = history.present;
  download(`${name}.json`, exportedText(name, text, neededMateria(loadout, catalog, textOf)));
}
