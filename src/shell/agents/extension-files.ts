import type { ExtensionFactory, LoadExtensionsResult, SettingsManager } from "@earendil-works/pi-coding-agent";
import { writeSync } from "node:fs";
import { basename, dirname, extname, sep } from "node:path";
import type { Pi } from "./pi-sdk.ts";
import { isDoneWithin, realTimer, type Timer } from "./turn-guard.ts";

export const LOAD_MS = 30_000;

export interface SessionExtensions {
  readonly files: readonly string[];
  /** Code of this process. */
  readonly factories?: readonly ExtensionFactory[];
}

interface ExtensionQuery extends SessionExtensions {
  readonly cwd: string;
  /** Where more are found; none are without it. */
  readonly settings?: SettingsManager | undefined;
}

/** [YP6] Loads the code of extensions; a thrown error and a load that never ends become an error with the name. */
export async function loadExtensionFiles(
  pi: Pi,
  query: ExtensionQuery,
  after: Timer = realTimer,
): Promise<LoadExtensionsResult> {
  const loading = loadExtensions(pi, query);
  if (!(await isDoneWithin(LOAD_MS, loading, after)))
    throw new Error(
      `the extension ${query.files.map(extensionName).join(", ")} did not load within ${LOAD_MS / 1000} s`,
    );
  const loaded = await loading;
  const [failed] = loaded.errors;
  const why = failed?.error.replace(/^Failed to load extension: /, "");
  if (failed) throw new Error(`the extension ${extensionName(failed.path)} cannot be loaded: ${why}`);
  return loaded;
}

export async function loadExtensions(pi: Pi, { cwd, files, factories = [], settings }: ExtensionQuery) {
  if (loadedFiles.size === 0) process.on("exit", reportExit);
  files.forEach((file) => loadedFiles.add(file));
  const loader = new pi.DefaultResourceLoader({
    cwd,
    agentDir: pi.getAgentDir(),
    // Where the files are known no package is resolved a second time.
    settingsManager: settings ?? pi.SettingsManager.inMemory({}),
    noExtensions: settings === undefined,
    additionalExtensionPaths: [...files],
    extensionFactories: [...factories],
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
  });
  await loader.reload();
  return loader.getExtensions();
}

const loadedFiles = new Set<string>();

/** [YP22] A command that an extension ends must not look like one that is done. */
function reportExit(): void {
  const [name] = findOnStack([...loadedFiles]);
  if (name === undefined) return;
  process.exitCode = 1;
  writeSync(
    2,
    `the extension ${name} has ended this process: fix it or take it out, then "recast" continues a cast that ran\n`,
  );
}

/** The extensions whose code is running now, by their files. */
export function findOnStack(files: readonly string[]): readonly string[] {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = before;
  return files.filter((file) => stack.includes(isIndex(file) ? `${dirname(file)}${sep}` : file)).map(extensionName);
}

export function extensionName(path: string): string {
  return isIndex(path) ? basename(dirname(path)) : basename(path, extname(path));
}

export function isIndex(path: string): boolean {
  return /^index\.[cm]?[jt]s$/.test(basename(path));
}
