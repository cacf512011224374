import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What nearly every command needs, in few files: dozens of small ones take a third longer to find and load. What Pi needs at its start stands apart. */
const SHARED = [
  { name: "text", test: /get-east-asian-width\/|src\/core\/(view\/(columns|line|numbers)|model\/text)\.ts/ },
  { name: "libraries", test: /node_modules\/(valibot|jsonc-parser)\// },
  {
    name: "base",
    // Few commands compare texts, so the library for it stays out of every start.
    test: /src\/(core\/(model(?!\/diff)|catalog|compile|cast|handoff|view|command)|shell\/(store|config|system|process|secrets|casting))\//,
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
