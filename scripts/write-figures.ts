import { writeFileSync } from "node:fs";
import { pagesWithFigures } from "./figures-text.ts";

for (const { file, text } of pagesWithFigures()) writeFileSync(file, text);
