import { writeFileSync } from "node:fs";
import { jsonText } from "./json-shapes.ts";
import { referenceText } from "./reference-text.ts";

writeFileSync(new URL("../docs/reference.md", import.meta.url), referenceText());
writeFileSync(new URL("../docs/json.md", import.meta.url), jsonText());
