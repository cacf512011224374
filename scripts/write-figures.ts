import { readFileSync, writeFileSync } from "node:fs";
import { withFigures } from "./figures-text.ts";

const readme = new URL("../README.md", import.meta.url);
writeFileSync(readme, withFigures(readFileSync(readme, "utf8")));
