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
  const hidden = hiddenNames(paths);
  if (hidden.length > 0) throw new Error(hidden.join("\n"));
  return paths;
}

/** A sheet that writes a shared name without taking it hides the shared class from its page. */
function hiddenNames(paths: readonly string[]): readonly string[] {
  const imports = readFileSync(join(client, "ui/classes.ts"), "utf8").matchAll(/"(\.[./a-z-]+\.module\.css)"/g);
  const shared = new Set([...imports].map(([, path = ""]) => basename(path)));
  const ownOf = (path: string): readonly string[] => {
    const css = readFileSync(join(client, path), "utf8");
    const taken = [...css.matchAll(/@value ([^;]*) from/g)].flatMap(([, names = ""]) => names.split(/,\s*/));
    return classesIn(css).filter((name) => !taken.includes(name));
  };
  const [common, own] = [true, false].map((is) => paths.filter((path) => shared.has(basename(path)) === is));
  const known = new Set(common?.flatMap(ownOf));
  return (own ?? []).flatMap((path) =>
    ownOf(path)
      .filter((name) => known.has(name))
      .map((name) => `${path} hides the shared class ${name}: take it with "@value ${name} from …"`),
  );
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
