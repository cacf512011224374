import { useEffect, useState } from "react";
import { printJson } from "../../../../../../core/edit/text/print.ts";
import type { JsonObject } from "../../../../../../core/model/values/json.ts";

/** The bundled materia of this name, as text; read only when a page asks for it. */
export function useBundledMateriaText(name: string): string | null {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let isHere = true;
    const read = async (): Promise<void> => {
      const { bundledLayer } = await import("../../../../../../core/catalog/bundled.ts");
      const value = bundledLayer().materia.get(name)?.value;
      // Plain data, read from JSON.
      if (isHere) setText(value ? printJson(JSON.parse(JSON.stringify(value)) as JsonObject) : null);
    };
    void read();
    return () => {
      isHere = false;
    };
  }, [name]);
  return text;
}
