import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What every command loads, and the list of casts: these modules, and what they import. */
function startUpModules(): ReadonlySet<string> {
  const roots = ["apps/cli/main.ts", "shell/commands/run-command.ts", "shell/commands/status.ts"];
  const found = new Set(roots.map((path) => `${ROOT}src/${path}`));
  // A set visits what is added on the way.
  for (const module of found)
    for (const [, path = ""] of readFileSync(module, "utf8").matchAll(/^import (?!type ).*?from "(\.[^"]+)";/gms))
      found.add(resolve(dirname(module), path));
  return found;
}

const AT_START = startUpModules();

/**
 * What several commands need, in few files: dozens of small ones take a third longer to find and load. What every
 * command loads at its start is apart from the rest, and what Pi loads at its start from both.
 */
const SHARED = [
  {
    name: "text",
    test: /get-east-asian-width\/|src\/core\/(view\/(columns|line|numbers)|model\/text)\.ts/,
    priority: 3,
  },
  { name: "libraries", test: /node_modules\/(valibot|jsonc-parser)\//, priority: 3 },
  { name: "start", test: (id: string) => AT_START.has(id), priority: 2 },
  {
    name: "base",
    // Few commands compare texts, so the library for it stays out of every start.
    test: /src\/(core\/(model(?!\/diff)|catalog|compile|cast|handoff|view|command)|shell\/(store|config|system|process|secrets|casting))\//,
    priority: 1,
  },
];

/** Sources as JavaScript that Node runs, as the package publishes them. The small libraries go in, so that an unpacked package needs nothing installed; Pi stays outside. */
export async function bundle(entries: Readonly<Record<string, string>>, outDir: string): Promise<void> {
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, `${ROOT}${path}`]));
  await build({
    root: ROOT,
    configFile: false,
    logLevel: "warn",
    ssr: {
      noExternal: true,
      external: [
        "@earendil-works/pi-coding-agent",
        "@earendil-works/pi-ai",
        "@earendil-works/pi-tui",
        "pg",
        "@dbos-inc/dbos-sdk",
      ],
    },
    build: {
      ssr: true,
      target: "node22",
      outDir,
      emptyOutDir: false,
      minify: false,
      copyPublicDir: false,
      rolldownOptions: {
        input,
        // A dynamic import saves start-up time from sources; in a bundle the groups above decide.
        checks: { ineffectiveDynamicImport: false },
        output: {
          format: "es",
          entryFileNames: "[name].js",
          chunkFileNames: "chunks/[name]-[hash].js",
          codeSplitting: { groups: SHARED },
        },
      },
    },
  });
}
