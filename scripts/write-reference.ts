import { writeFileSync } from "node:fs";
import { referenceText } from "./reference-text.ts";

writeFileSync(new URL("../docs/reference.md", import.meta.url), referenceText());
