// One idea, one name: what two modules export under the same name cannot be told apart where it is imported.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folders that do the same each in its own way, so that a name of one may be one of the others: the stores, and the faces. */
const ALIKE = [
  ["src/shell/store/files/", "src/shell/store/postgres/"],
  ["src/apps/cli/", "src/apps/pi/"],
];
const EXPORTED = /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;

type Twice = readonly [name: string, modules: readonly string[]];

/** The names that more than one module exports, each with these modules. A schema and its type are one name of one module. */
export function namesTwice(modules: readonly (readonly [module: string, text: string])[]): readonly Twice[] {
  const exporters = new Map<string, readonly string[]>();
  for (const [module, text] of modules)
    for (const name of new Set([...text.matchAll(EXPORTED)].map(([, each = ""]) => each)))
      exporters.set(name, [...(exporters.get(name) ?? []), module]);
  return [...exporters].filter(([, within]) => within.length > 1 && !areAlike(within));
}

function areAlike(within: readonly string[]): boolean {
  return ALIKE.some((folders) => {
    const homes = within.map((module) => folders.findIndex((folder) => module.startsWith(folder)));
    return !homes.includes(-1) && new Set(homes).size === within.length;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const files = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !file.endsWith(".d.ts"));
  const twice = namesTwice(files.map((file) => [file, readFileSync(join(root, file), "utf8")] as const));
  for (const [name, within] of twice) console.error(`names: ${name} is exported by ${within.join(" and ")}`);
  console.log(`names: ${files.length} modules, ${twice.length} problems`);
  process.exitCode = twice.length > 0 ? 1 : 0;
}
