import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseArgv, parseText } from "../../src/core/command/parse.ts";
import { splitWords } from "../../src/core/command/split-words.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guides = readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`);

/** The sources of the library, which a checkout has in place of the package. */
const LIBRARY = new URL("../../src/apps/library/index.ts", import.meta.url).href;

/** The first is the one that `npm test` tries. */
const pages = new Set(["docs/guides/first-loadout.md", "README.md", ...guides]);

describe.each(sampleCases([...pages]))("[C22] every block of %s", (page) => {
  it("[C22] runs as it stands", SWEEP, () => {
    const folder = mkdtempSync(join(tmpdir(), "materia-docs-"));
    try {
      const blocks = blocksOf(readFileSync(join(root, page), "utf8"));
      expect(blocks.flatMap((block) => use(block, folder))).toEqual([]);
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

/** What is wrong with a block, in words; a command that fails throws with what it printed. */
function use({ language, text, file }: Block, folder: string): readonly string[] {
  switch (language) {
    case "bash":
      if (!/npm ci/.test(text)) run(text, folder);
      return [];
    case "json":
    case "jsonc":
      if (/"(?:mcpServers|context_servers)"/.test(text)) return serverCommands(text).filter((line) => !isCommand(line));
      return useJson(text, file ?? "block.json", folder);
    case "js":
      writeBlock(text.replace('"pi-materia"', JSON.stringify(LIBRARY)), folder, "block.mjs");
      run("node block.mjs", folder);
      return [];
    case "text":
      return text.split("\n").filter((line) => !isCommand(line.replace(/\s+#.*$/, "")));
    case "yaml":
      return steps(text).flatMap((step) => runStep(step, folder));
    default:
      return [`a block of ${language} is not checked by anything`];
  }
}

/** A configuration is checked; one that is broken on purpose may be, but names no key that there is not. */
function useJson(text: string, file: string, folder: string): readonly string[] {
  // Only the user's own file may have some settings.
  const isUsers = /^(?:~\/\.config\/pi\/pi-materia|user)\/materia\.json$/.test(file);
  writeBlock(text, folder, isUsers ? ".bin/config/pi/pi-materia/materia.json" : file);
  if (/"replies":/.test(text)) return [];
  const { issues } = JSON.parse(run(`materia check --json ${isUsers ? "" : file} || true`, folder)) as {
    readonly issues: readonly { readonly severity: string; readonly code: string; readonly message: string }[];
  };
  const isBlock = isUsers || file === "block.json";
  return issues
    .filter(({ code, severity }) => code === "unknown_key" || (isBlock && severity === "error"))
    .map(({ message }) => message);
}

/** The commands of a client's configuration of servers. */
function serverCommands(text: string): readonly string[] {
  const [servers] = Object.values(
    JSON.parse(text) as Record<string, Record<string, { command: string; args: string[] }>>,
  );
  return Object.values(servers ?? {}).map(({ command, args }) => [command, ...args].join(" "));
}

/** The programs that a workflow file starts. */
function steps(text: string): readonly string[] {
  return [...text.matchAll(/^\s*- run: (.+)$/gm)].map(([, step = ""]) => step);
}

function runStep(step: string, folder: string): readonly string[] {
  if (step.startsWith("materia ")) run(step, folder);
  else if (!/pi-materia .*pi-coding-agent/.test(step)) return [`neither a command of ours nor its install: ${step}`];
  return [];
}

function writeBlock(text: string, folder: string, file: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function run(script: string, folder: string): string {
  const bin = join(folder, ".bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "materia"), `#!/bin/sh\nexec "${process.execPath}" "${root}bin/materia.mjs" "$@"\n`);
  chmodSync(join(bin, "materia"), 0o755);
  const path = `${bin}:${dirname(process.execPath)}:${process.env["PATH"]}`;
  const env = { ...process.env, PATH: path, HOME: bin, XDG_CONFIG_HOME: join(bin, "config") };
  const options = { cwd: folder, env, stdio: "pipe", input: "", encoding: "utf8" } as const;
  return execFileSync("bash", ["-euo", "pipefail", "-c", script], options);
}

/** What needs a model is not run, but where it is ours it must be a command. */
function isCommand(line: string): boolean {
  if (line.startsWith("/materia ")) return parseText(line.slice(9)).ok;
  // What another program will start.
  const behind = line.indexOf(" -- materia ");
  if (behind > 0 && !line.startsWith("materia ")) return isCommand(line.slice(behind + 4));
  if (!line.startsWith("materia ")) return true;
  const words = splitWords(line.slice(8), () => false);
  if (!words.ok) return false;
  const { words: typed, tail } = words.value;
  return parseArgv([...typed.map((word) => word.text), ...(tail === undefined ? [] : [tail])]).ok;
}
