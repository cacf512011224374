import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { scratch } from "../../git/scratch.ts";

/** While `runEnrolledWorker` goes on, git does a part of what it is asked for the n-th time, and finds no room for the rest. */
export async function withFullDisk<T>(command: string, at: number, work: () => Promise<T>): Promise<T> {
  const folder = scratch();
  const path = process.env["PATH"] ?? "";
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh
PATH='${path}'
case "$*" in
  *" ${command} "*)
    echo >> '${folder}/times'
    if [ $(wc -l < '${folder}/times') -eq ${at} ]; then
      '${real}' "$@" > /dev/null 2>&1
      case "${command} $PWD" in read-tree*/trees/*|checkout*/trees/*) rm -f first.txt;; esac
      echo 'fatal: cannot write: No space left on device' >&2
      exit 128
    fi;;
esac
exec '${real}' "$@"
`;
  writeFileSync(join(folder, "git"), script);
  chmodSync(join(folder, "git"), 0o755);
  process.env["PATH"] = `${folder}${delimiter}${path}`;
  try {
    return await work();
  } finally {
    process.env["PATH"] = path;
  }
}
