import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("src/apps/web/client"),
  plugins: [react()],
  build: {
    outDir: here("dist/web"),
    emptyOutDir: true,
    target: "es2023",
    // The page allows no inline data but images; a font or style must be a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
