import { toJsonSchema } from "@valibot/to-json-schema";
import { Config } from "../src/core/model/config.ts";

/** The published JSON Schema, from the same schemas that validate at run time. */
export function schemaText(): string {
  const schema = toJsonSchema(Config, { errorMode: "ignore", typeMode: "input" });
  const titled = {
    ...schema,
    title: "pi-materia configuration",
    description: "Materia, loadouts and settings of pi-materia.",
  };
  return `${JSON.stringify(titled, undefined, 2)}\n`;
}
