// A type has one name in the whole project. Functions may share a name: a module is a namespace.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:class|interface|type|enum) ([\w$]+)/gm;

type Duplicate = readonly [name: string, modules: readonly string[]];

/** The type names that more than one module exports, each with these modules. */
export function duplicateTypes(modules: readonly (readonly [module: string, text: string])[]): readonly Duplicate[] {
  const exporters = new Map<string, readonly string[]>();
  for (const [module, text] of modules)
    for (const name of new Set([...text.matchAll(EXPORTED_TYPE)].map(([, each = ""]) => each)))
      exporters.set(name, [...(exporters.get(name) ?? []), module]);
  return [...exporters].filter(([, within]) => within.length > 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const files = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !file.endsWith(".d.ts"));
  const duplicates = duplicateTypes(files.map((file) => [file, readFileSync(join(root, file), "utf8")] as const));
  for (const [name, within] of duplicates) console.error(`names: type ${name} is exported by ${within.join(" and ")}`);
  console.log(`names: ${files.length} modules, ${duplicates.length} problems`);
  process.exitCode = duplicates.length > 0 ? 1 : 0;
}
