import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { FolderWatcher } from "../../../../shell/system/folder-watch.ts";
import type { EventFeed } from "../http/stream.ts";
import { encodeMessage } from "./say.ts";

/** [N10] Says when one of the configuration files is made, changed or removed by whomever. */
export function openConfigFeed(files: readonly string[], watch: FolderWatcher, wake: () => void): EventFeed {
  let known = fileStamps(files);
  let isTouched = false;
  const stops = [...new Set(files.map((file) => dirname(file)))].map((folder) =>
    watch.onChange(folder, () => {
      isTouched = true;
      wake();
    }),
  );
  return {
    next: () => {
      if (!isTouched) return Promise.resolve(undefined);
      isTouched = false;
      const now = fileStamps(files);
      // Other things lie beside them.
      if (now === known) return Promise.resolve(undefined);
      known = now;
      return Promise.resolve(encodeMessage({ kind: "config", data: {} }));
    },
    isOver: () => false,
    close: () => stops.forEach((stop) => stop()),
  };
}

function fileStamps(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : "none";
    })
    .join("\n");
}

/** Two feeds as one; the first comes first. */
export function joinFeeds(first: EventFeed, second: EventFeed): EventFeed {
  return {
    next: async () => (await first.next()) ?? second.next(),
    isOver: () => first.isOver() && second.isOver(),
    close: () => {
      first.close();
      second.close();
    },
  };
}
