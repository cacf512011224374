import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";

/**
 * What Pi loads of an installed package: one built file where there is one, and of a plain clone its sources.
 * Pi's own libraries can be reached only from a file that Pi's loader translates, which it does only with TypeScript.
 */
export default async function materia(pi: ExtensionAPI): Promise<void> {
  const isBuilt = existsSync(fileURLToPath(new URL("../dist/pi.js", import.meta.url)));
  try {
    const entry = isBuilt ? "../dist/pi.js" : "../src/apps/pi/register.ts";
    const { register } = (await import(entry)) as typeof import("../src/apps/pi/register.ts"); // built from it, or it
    register(pi, { tui, library: () => import("@earendil-works/pi-coding-agent") });
  } catch (thrown) {
    explain(pi, thrown);
  }
}

/** [K5] A command that is not there would go to the model as a prompt. */
function explain(pi: ExtensionAPI, thrown: unknown): void {
  const folder = dirname(dirname(fileURLToPath(import.meta.url)));
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  const text = `pi-materia cannot start: ${why}\nRun "npm install --omit=dev" in ${folder}, then /reload.`;
  pi.registerCommand("materia", {
    description: "pi-materia cannot start; says what to do",
    handler: async (_args, ctx) => {
      if (ctx.hasUI) ctx.ui.notify(text, "error");
      else process.stderr.write(`${text}\n`);
    },
  });
}
