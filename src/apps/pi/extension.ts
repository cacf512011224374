import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { register } from "./register.ts";

/** Pi loads this file. Pi's own libraries can only be imported from a file that Pi's loader translates, which it does only with TypeScript. So this file, and its published twin, hand them over. */
export default function materia(pi: ExtensionAPI): void {
  register(pi, { tui, library: () => import("@earendil-works/pi-coding-agent") });
}
