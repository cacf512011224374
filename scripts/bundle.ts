import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Sources as JavaScript that Node runs, as the package publishes them. The small libraries go in, so that an unpacked package needs nothing installed; Pi stays outside. */
export async function bundle(entries: Readonly<Record<string, string>>, outDir: string): Promise<void> {
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, `${ROOT}${path}`]));
  await build({
    root: ROOT,
    configFile: false,
    logLevel: "warn",
    ssr: {
      noExternal: true,
      external: ["@earendil-works/pi-coding-agent", "@earendil-works/pi-ai", "@earendil-works/pi-tui"],
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
        output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
      },
    },
  });
}
