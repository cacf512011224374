import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artifacts } from "../ports.ts";
import { isMissing, problemText } from "../system/problem.ts";

/** Files of a cast's visits. Every text passes `redact` on its way to the disk. */
export function fileArtifacts(runDir: string, redact: (text: string) => string): Artifacts {
  const visitFolder: Artifacts["visitFolder"] = (socket, visit) => join(runDir, "sockets", socket, String(visit));
  return {
    visitFolder,
    write: (socket, visit, file, text) => {
      const folder = visitFolder(socket, visit);
      return put(folder, () => writeFile(join(folder, file), redact(text)));
    },
    append: (socket, visit, file, text) => {
      const folder = visitFolder(socket, visit);
      return put(folder, () => appendFile(join(folder, file), redact(text)));
    },
  };
}

/** Most folders exist already; one is made only where writing shows that it is missing. */
async function put(folder: string, write: () => Promise<void>): Promise<string | undefined> {
  try {
    await write();
    return undefined;
  } catch (thrown) {
    if (!isMissing(thrown)) return `an artifact cannot be written: ${problemText(thrown)}`;
  }
  try {
    await mkdir(folder, { recursive: true });
    await write();
    return undefined;
  } catch (thrown) {
    return `an artifact cannot be written: ${problemText(thrown)}`;
  }
}
