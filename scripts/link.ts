// Writes a command `materia` that runs this checkout with its own Node, from every folder. `--remove` removes it.
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const onPath = (process.env["PATH"] ?? "").split(delimiter);
const own = join(homedir(), ".local", "bin");
const prefixes = [process.env["npm_config_global_prefix"] ?? "", "/usr/local"];
const folders = [own, ...prefixes.map((prefix) => join(prefix, "bin"))];
const folder = folders.find((each) => onPath.includes(each) && isWritable(each));
const file = join(folder ?? own, "materia");
const MARK = "# written by npm run link of pi-materia";
const program = quote(join(root, "bin", "materia.mjs"));

if (process.argv.includes("--remove")) {
  // PATH may differ from that of the first run, so look in every folder. Commands of other checkouts stay.
  const written = [...new Set([...folders, ...onPath])]
    .map((each) => join(each, "materia"))
    .filter((each) => existsSync(each))
    .filter((each) => [MARK, program].every((part) => readFileSync(each, "utf8").includes(part)));
  for (const each of written) rmSync(each, { force: true });
  console.log(written.length === 0 ? "No command of this checkout was found." : `Removed ${written.join(", ")}.`);
  process.exit(0);
}
if (existsSync(file) && !readFileSync(file, "utf8").includes(MARK)) {
  console.error(`${file} exists and was not written by this command; it was not changed.`);
  process.exit(1);
}
mkdirSync(join(file, ".."), { recursive: true });
writeFileSync(file, `#!/bin/sh\n${MARK}\nexec ${quote(process.execPath)} ${program} "$@"\n`);
chmodSync(file, 0o755);
console.log(`Wrote ${file}, which runs this checkout. "npm run link -- --remove" removes it.`);
if (folder === undefined) console.log(`${join(file, "..")} is not on PATH: add it to use "materia".`);

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
