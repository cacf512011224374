// Writes the class names of every style sheet of the page as types, so that a misspelled one does not compile.
// Every check and every build of the page write the file; it is not committed.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const client = fileURLToPath(new URL("../src/apps/web", import.meta.url));
const file = join(client, "class-names.d.ts");
const text = `// Written by \`npm run classes\` from the style sheets.\n${sheets().map(declaration).join("")}`;

if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);

function sheets(): readonly string[] {
  const paths = readdirSync(client, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".module.css"))
    .toSorted((one, other) => (basename(one) < basename(other) ? -1 : 1));
  const twice = paths.find((path, index) => basename(path) === basename(paths[index + 1] ?? ""));
  // A declaration knows a sheet by its last part, wherever it is imported from.
  if (twice !== undefined) throw new Error(`two style sheets are called ${basename(twice)}`);
  return paths;
}

function declaration(path: string): string {
  const names = classesIn(readFileSync(join(client, path), "utf8"));
  const fields = names.map((name) => `    readonly ${name.includes("-") ? `"${name}"` : name}: string;\n`);
  return `declare module "*/${basename(path)}" {\n  const classes: {\n${fields.join("")}  };\n  export default classes;\n}\n`;
}

function classesIn(css: string): readonly string[] {
  const rules = css.replaceAll(/\/\*.*?\*\/|"[^"]*"/gs, "");
  return [...new Set([...rules.matchAll(/\.([a-z][a-z-]*)/g)].map(([, name = ""]) => name))].toSorted();
}
