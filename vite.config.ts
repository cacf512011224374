import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type CSSModulesOptions, type Plugin } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const client = here("src/apps/web");

/** `row` in `ground/base.module.css` is `ground-base-row` in the page: a name and where it stands. */
function classInPage(name: string, file: string): string {
  const place = relative(client, file).replace(/\.module\.css.*$/, "");
  return `${place.replaceAll("/", "-")}-${name}`;
}

/** Names that a style sheet takes from another (`@value row from "…"`), and the names alone: its rules stay where they are. */
class NamesOfSheets {
  readonly finalSource = "";
  fetch(quoted: string, from: string): Promise<Record<string, string>> {
    const file = resolve(dirname(from), quoted.replaceAll(/^["']|["']$/g, ""));
    const names = [...readFileSync(file, "utf8").matchAll(/\.([a-z][a-z-]*)/g)].map(([, name = ""]) => name);
    return Promise.resolve(Object.fromEntries(names.map((name) => [name, classInPage(name, file)])));
  }
}

/** The loader is one of the options of what reads the sheets, though the types do not tell of it. */
const modules: CSSModulesOptions & { readonly Loader: typeof NamesOfSheets } = {
  generateScopedName: classInPage,
  Loader: NamesOfSheets,
};

/** [N52] Browsers accept only gzip over plain HTTP, so that is what the server sends. */
const compressFiles: Plugin = {
  name: "compress-files",
  writeBundle({ dir = "" }, files) {
    for (const name of Object.keys(files).filter((each) => /\.(?:js|css)$/.test(each)))
      writeFileSync(join(dir, `${name}.gz`), gzipSync(readFileSync(join(dir, name)), { level: 9 }));
  },
};

/** `assets/casts-page-1a2b3c4d.js`: the tests find the page of the first view by its name. */
function chunkName(module: string | null | undefined): string {
  const folder = module?.endsWith("/page.tsx") ? `${basename(dirname(module))}-page` : "[name]";
  return `assets/${folder}-[hash].js`;
}

export default defineConfig({
  root: client,
  css: { modules },
  plugins: [react(), compressFiles],
  build: {
    outDir: here("dist/web"),
    emptyOutDir: true,
    // One sheet is packed into two thirds of what many are.
    cssCodeSplit: true,
    target: "es2023",
    // The page allows no inline data but images; a font or style must be a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A busy machine is slow, not wrong.
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        chunkFileNames: ({ facadeModuleId }) => chunkName(facadeModuleId),
        // A few files compress better than many. The first view has one of its own, so that it loads nothing else.
        codeSplitting: {
          includeDependenciesRecursively: true,
          groups: [
            { name: "first-view", priority: 5, test: /apps\/web\/(?:app|casts|browser|net|main)|core\/wire\/catalog/ },
            { name: "graph", priority: 4, test: /apps\/web\/graph\// },
            { name: "casts", priority: 3, test: /apps\/web\/(?:cast|cast-visit|cast-replay)\// },
            { name: "catalog", priority: 2, test: /apps\/web\/(?:loadouts|loadout-editor|materia)\// },
            { name: "small-pages", priority: 1, test: /apps\/web\/(?:find|fleet|compare|tests|settings|help)\// },
          ],
        },
      },
    },
  },
});
