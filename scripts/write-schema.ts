import { writeFileSync } from "node:fs";
import { schemaText } from "./schema-text.ts";

writeFileSync(new URL("../schema/pi-materia.schema.json", import.meta.url), schemaText());
