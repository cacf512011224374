import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";

/** [D7] A new file is safe only when its folder knows of it. Some systems cannot sync a folder; they need no telling. */
export function syncFolder(folder: string): void {
  try {
    withOpenFile(folder, "r", fsyncSync);
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && /^(EISDIR|EPERM|EINVAL|EACCES)$/.test(String(thrown.code))))
      throw thrown;
  }
}

export function writeFileSynced(file: string, text: string): void {
  withOpenFile(file, "w", (fd) => {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  });
}

function withOpenFile(path: string, flags: string, use: (fd: number) => void): void {
  const fd = openSync(path, flags, 0o600);
  try {
    use(fd);
  } finally {
    closeSync(fd);
  }
}

export function syncFile(file: string): void {
  withOpenFile(file, "r", fsyncSync);
}
