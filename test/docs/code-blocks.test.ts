import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseArgv, parseText } from "../../src/core/command/parse.ts";
import { wordsOfText } from "../../src/core/command/words.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guides = readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`);

describe.each(["README.md", ...guides])("[C22] every block of %s", (page) => {
  it("[C22] runs as it stands", () => {
    const folder = mkdtempSync(join(tmpdir(), "materia-docs-"));
    try {
      for (const block of blocksOf(readFileSync(join(root, page), "utf8"))) use(block, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

interface Block {
  readonly language: string;
  readonly text: string;
  /** The file that the words before it name. */
  readonly file: string | undefined;
}

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/([^\n]*)\n+```(\w+)\n([\s\S]*?)```/g)].map(([, before = "", language = "", text = ""]) => ({
    language,
    text,
    file: /^(?:\/\/|#) (\S+\.(?:jsonc?|yml))\n/.exec(text)?.[1] ?? /`(\S+\.json)`:$/.exec(before)?.[1],
  }));
}

function use({ language, text, file }: Block, folder: string): void {
  switch (language) {
    case "bash":
      if (/npm ci/.test(text)) return;
      run(text, folder);
      return;
    case "json":
    case "jsonc":
      if (file === undefined) return checkConfig(text, folder);
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
      return;
    case "text":
      for (const line of text.split("\n")) expectCommand(line.replace(/\s+#.*$/, ""));
      return;
    default:
      expect(["yaml"]).toContain(language);
  }
}

function checkConfig(text: string, folder: string): void {
  writeFileSync(join(folder, "block.json"), text);
  run("materia check block.json", folder);
}

function run(script: string, folder: string): void {
  const bin = join(folder, ".bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "materia"), `#!/bin/sh\nexec "${process.execPath}" "${root}bin/materia.mjs" "$@"\n`);
  chmodSync(join(bin, "materia"), 0o755);
  const env = {
    ...process.env,
    PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"]}`,
    HOME: bin,
    XDG_CONFIG_HOME: join(bin, "config"),
  };
  execFileSync("bash", ["-euo", "pipefail", "-c", script], {
    cwd: folder,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** What needs a model is not run, but it must be a command. */
function expectCommand(line: string): void {
  if (line.startsWith("/materia ")) expect(parseText(line.slice(9))).toMatchObject({ ok: true });
  if (!line.startsWith("materia ")) return;
  const words = wordsOfText(line.slice(8), () => false);
  if (!words.ok) throw new Error(line);
  const argv = [
    ...words.value.words.map((word) => word.text),
    ...(words.value.tail === undefined ? [] : [words.value.tail]),
  ];
  expect(parseArgv(argv)).toMatchObject({ ok: true });
}
