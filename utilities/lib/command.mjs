import { spawnSync } from "node:child_process";
import { refuse } from "./utility.mjs";

/** A program at a folder: `run` answers with its exit code, `text` and `bytes` refuse anything but 0. */
export function commandAt(cwd, program, options, env = {}) {
  const run = (args, input) => spawn(cwd, program, { args: [...options, ...args], input, env });
  const bytes = (args, input) => {
    const done = run(args, input);
    if (done.code === 0) return done.stdout;
    if (done.code === "missing") {
      refuse(
        `${program} was not found on PATH, and ${cwd} needs it`,
        `install ${program}, or take this utility out of the loadout`,
      );
    }
    return refuse(
      `${program} ${args.find((arg) => !arg.startsWith("-"))} failed in ${cwd}: ${done.stderr}`,
      "no work was lost: mend that and recast",
    );
  };
  return { run, bytes, text: (args) => bytes(args).toString("utf8").trim() };
}

/** Without hooks, watchers, fetching and upkeep in the background: they would run, change, block or outlive the utility. */
export const quiet = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.allow=never",
].flatMap((setting) => ["-c", setting]);

/** [U40] Git at a folder, running no program that the repository's own configuration names. */
export function gitAt(root, { settings = [], filters = false } = {}) {
  const options = [...quiet, ...settings.flatMap((setting) => ["-c", setting])];
  const keys = programKeys(root);
  const off = filters ? [] : filtersIn(keys).flatMap(withoutFilter);
  return commandAt(root, "git", options, settingsOf([...off, ...hooksIn(keys).flatMap(withoutHook)]));
}

/** Filters that the repository itself brings; those of the person are the person's own wish. */
export function foreignFilters(root) {
  return filtersIn(programKeys(root));
}

function filtersIn(keys) {
  return namesIn(keys, "filter.", ["local", "worktree"]);
}

/** Newer versions of git take hooks from the configuration too. */
function hooksIn(keys) {
  return namesIn(keys, "hook.", ["system", "global", "local", "worktree"]);
}

/** All keys that may name a program, with their scopes; of both sections at once, since every call of git comes after one of these. */
function programKeys(root) {
  const list = ["config", "--null", "--show-scope", "--includes", "--name-only", "--get-regexp", "^(filter|hook)\\."];
  const done = commandAt(root, "git", quiet).run(list);
  if (done.code !== 0) return [];
  const words = done.stdout.toString("latin1").split("\0");
  return words.flatMap((scope, index) => (index % 2 === 0 ? [{ scope, key: words[index + 1] ?? "" }] : []));
}

function namesIn(keys, section, scopes) {
  const names = keys
    .filter(({ scope, key }) => scopes.includes(scope) && key.startsWith(section))
    .map(({ key }) => key.slice(section.length, key.lastIndexOf(".")));
  return [...new Set(names)].filter((name) => name !== "");
}

function withoutFilter(name) {
  const none = ["clean", "smudge", "process"].map((key) => [`filter.${name}.${key}`, ""]);
  return [...none, [`filter.${name}.required`, "false"]];
}

function withoutHook(name) {
  return [[`hook.${name}.enabled`, "false"]];
}

/** In the environment: a name may hold any character, and `-c` would cut it at the first `=`. */
export function settingsOf(pairs) {
  const entries = pairs.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, Buffer.from(key, "latin1").toString("utf8")],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return pairs.length === 0 ? {} : Object.fromEntries([["GIT_CONFIG_COUNT", String(pairs.length)], ...entries]);
}

/** [U41] Who a commit is by, and where the person's own configuration lies; nothing that points git elsewhere or at a program. */
const kept = /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))$/;

function cleanEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name) || kept.test(name)));
}

function spawn(cwd, program, { args, input, env }) {
  const done = spawnSync(program, args, {
    cwd,
    input: input ?? "",
    maxBuffer: Infinity,
    env: { ...cleanEnvironment(), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", ...env },
  });
  if (done.error?.code === "ENOENT") return { code: "missing" };
  // A program that ends before it has read its input says why on standard error.
  if (done.error && done.error.code !== "EPIPE") throw done.error;
  return { code: done.status, stdout: done.stdout, stderr: done.stderr.toString("utf8").trim().slice(-1000) };
}
