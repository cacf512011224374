// Builds what the package publishes: the command line, the Pi extension and the library as JavaScript, and the library's types.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const inRoot = (path: string): string => `${root}${path}`;

for (const part of ["cli.js", "pi.js", "extension.ts", "index.js", "chunks", "types"])
  rmSync(inRoot(`dist/${part}`), { recursive: true, force: true });
await build({
  root,
  configFile: false,
  logLevel: "warn",
  // The sources name their neighbours with their real endings; nothing of node_modules goes into the bundle.
  build: {
    ssr: true,
    target: "node22",
    outDir: "dist",
    emptyOutDir: false,
    minify: false,
    copyPublicDir: false,
    rolldownOptions: {
      input: {
        cli: inRoot("src/apps/cli/start.ts"),
        pi: inRoot("src/apps/pi/register.ts"),
        index: inRoot("src/apps/library/index.ts"),
      },
      output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
    },
  },
});
// Pi lets an extension import Pi's own copies of its libraries only from a file that its loader translates, and that is TypeScript.
writeFileSync(
  inRoot("dist/extension.ts"),
  `import * as tui from "@earendil-works/pi-tui";
import { register } from "./pi.js";

export default (pi) => register(pi, { tui, library: () => import("@earendil-works/pi-coding-agent") });
`,
);
execFileSync(process.execPath, [inRoot("node_modules/typescript/bin/tsc"), "-p", inRoot("tsconfig.build.json")], {
  stdio: "inherit",
});
