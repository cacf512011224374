import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { FolderWatch } from "../../../../shell/system/folder-watch.ts";
import type { Feed } from "../http/stream.ts";
import { say } from "./say.ts";

/** [N10] Says when one of the configuration files is made, changed or removed by whomever. */
export function configFeed(files: readonly string[], watch: FolderWatch, wake: () => void): Feed {
  let known = stampOf(files);
  let isTouched = false;
  const stops = [...new Set(files.map((file) => dirname(file)))].map((folder) =>
    watch.on(folder, () => {
      isTouched = true;
      wake();
    }),
  );
  return {
    next: () => {
      if (!isTouched) return Promise.resolve(undefined);
      isTouched = false;
      const now = stampOf(files);
      // Other things lie beside them.
      if (now === known) return Promise.resolve(undefined);
      known = now;
      return Promise.resolve(say({ kind: "config", data: {} }));
    },
    isOver: () => false,
    close: () => stops.forEach((stop) => stop()),
  };
}

function stampOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : "none";
    })
    .join("\n");
}

/** Two feeds as one; the first comes first. */
export function joined(first: Feed, second: Feed): Feed {
  return {
    next: async () => (await first.next()) ?? second.next(),
    isOver: () => first.isOver() && second.isOver(),
    close: () => {
      first.close();
      second.close();
    },
  };
}
