import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { register } from "./register.ts";

/**
 * What Pi loads. Pi's own libraries can be reached only from a file that Pi's loader has translated, which it does only
 * with TypeScript: so this file, and the one like it that is published, hand them over.
 */
export default function materia(pi: ExtensionAPI): void {
  register(pi, { tui, library: () => import("@earendil-works/pi-coding-agent") });
}
