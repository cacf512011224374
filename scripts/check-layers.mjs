// Who may import whom, as an ordered list: a folder may import itself and the folders before it.
import { cruise } from "dependency-cruiser";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The pages stand side by side: code that two of them need belongs into a folder before them. Parts of a page come before it. */
const PAGES = [
  "cast-visit",
  "cast",
  "casts",
  "compare",
  "find",
  "fleet",
  "help",
  "loadout-editor",
  "loadouts",
  "materia",
  "queue",
  "settings",
  "tests",
];
const ORDER = [
  "src/core/model",
  "src/core/command",
  "src/core/catalog",
  "src/core/compile",
  "src/core/handoff",
  "src/core/cast",
  "src/core/prompt",
  "src/core/history",
  "src/core/replay",
  "src/core/telemetry",
  "src/core/view",
  "src/core/edit",
  "src/core/wire",
  "src/core/testing",
  "src/core/draft",
  "src/shell/item-ports.ts",
  "src/shell/ports.ts",
  "src/shell/system",
  "src/shell/secrets",
  "src/shell/process",
  "src/shell/git",
  "src/shell/config",
  "src/shell/store",
  "src/shell/agents",
  "src/shell/context",
  "src/shell/items",
  "src/shell/run",
  "src/shell/workspace",
  "src/shell/casting",
  "src/shell/fleet",
  "src/shell/testing",
  "src/shell/commands",
  "src/apps/web/styles",
  "src/apps/web/browser",
  "src/apps/web/net",
  "src/apps/web/ui",
  "src/apps/web/data",
  "src/apps/web/graph",
  "src/apps/web/dialogs",
  "src/apps/web/cast-replay",
  ...PAGES.map((page) => `src/apps/web/${page}`),
  "src/apps/web/app",
  "src/apps/web/main.tsx",
  "src/apps",
];
/** How many folders up an import may reach. A longer way says that the file stands too deep. */
const MAX_CLIMB = 3;
/** Folders before it in the list that a place must not need: stores keep domain values, ports name no view of them. */
const FORBIDDEN = {
  "src/shell/store/": ["src/core/view/", "src/core/edit/", "src/core/testing/"],
  "src/shell/ports.ts": ["src/core/view/", "src/core/edit/", "src/core/testing/"],
};
const PI = "node_modules/@earendil-works/";
// Nobody who names no fleet pays for one.
const FLEET_ONLY = {
  "node_modules/pg/": ["src/shell/store/postgres/", "src/shell/fleet/"],
  "node_modules/@dbos-inc/": ["src/shell/fleet/worker/"],
  "node_modules/croner/": ["src/shell/fleet/"],
};
const MAY_IMPORT_PI = ["src/shell/agents", "src/apps/pi"];
// An entry is imported by nobody and hands one face to another: `materia ui` opens the web server.
const ENTRIES = ["src/apps/cli/start.ts"];
const CORE_MAY_USE = [
  "node_modules/valibot/",
  "node_modules/jsonc-parser/",
  "node_modules/get-east-asian-width/",
  "node_modules/diff/",
];

const isForbidden = (source, to) =>
  Object.entries(FORBIDDEN).some(
    ([place, folders]) => source.startsWith(place) && folders.some((folder) => to.startsWith(folder)),
  );
const fleetOnly = (source, to) =>
  Object.entries(FLEET_ONLY).some(
    ([name, folders]) => to.startsWith(name) && !folders.some((folder) => source.startsWith(folder)),
  );

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { output } = await cruise(["src"], {
  parser: "swc",
  tsPreCompilationDeps: true,
  doNotFollow: { path: "node_modules" },
});
const modules = output.modules.filter((module) => module.source.startsWith("src/"));
// Without its parser the tool reads nothing and calls that success.
if (modules.length < 20) throw new Error(`only ${modules.length} modules were read`);

const layerOf = (path) => ORDER.findIndex((folder) => path === folder || path.startsWith(`${folder}/`));
const PARTS_OF_PAGES = { "cast-visit": "cast", "loadout-editor": "loadouts" };
const pageOf = (path) => {
  const room = /^src\/apps\/web\/([^/]+)\//.exec(path)?.[1];
  return PAGES.includes(room) ? (PARTS_OF_PAGES[room] ?? room) : undefined;
};
const appOf = (path) => /^src\/apps\/([^/]+)/.exec(path)?.[1];
const problems = modules.flatMap(({ source, dependencies }) =>
  dependencies.flatMap(({ resolved: to, circular, cycle = [] }) => {
    const found = [];
    // A cycle that is closed by types alone is gone when the program runs.
    const isReal = circular && !cycle.some((step) => step.dependencyTypes.includes("type-only"));
    if (isReal) found.push(`${source} and ${to} import each other`);
    if (to.startsWith("src/")) {
      if (layerOf(to) > layerOf(source)) found.push(`${source} may not import ${to}, which comes after it`);
      if (isForbidden(source, to)) found.push(`${source} may not import ${to}: it holds domain values only`);
      if (appOf(to) && appOf(to) !== appOf(source) && !ENTRIES.includes(source))
        found.push(`${source} may not import the app ${appOf(to)}`);
      if (pageOf(source) && pageOf(to) && pageOf(source) !== pageOf(to))
        found.push(`${source} may not import ${to}, a page beside it`);
      if (source.startsWith("src/apps/web/") && !/^src\/(core|apps\/web)\//.test(to))
        found.push(`${source} sees only core, not ${to}`);
    } else if (fleetOnly(source, to)) found.push(`${source} may not import ${to}, which only a fleet needs`);
    else if (to.startsWith(PI) && !MAY_IMPORT_PI.some((folder) => source.startsWith(folder)))
      found.push(`${source} may not import Pi`);
    else if (source.startsWith("src/core/") && !CORE_MAY_USE.some((allowed) => to.startsWith(allowed)))
      found.push(`${source} is pure and may not import ${to}`);
    return found;
  }),
);
const climbing = modules.flatMap(({ source, dependencies }) =>
  dependencies
    .filter(
      ({ module: specifier, resolved }) =>
        resolved.startsWith("src/") && specifier.split("/").filter((part) => part === "..").length > MAX_CLIMB,
    )
    .map(({ module: specifier }) => `${source} imports ${specifier}, more than ${MAX_CLIMB} folders up`),
);
const homeless = modules
  .filter(({ source }) => layerOf(source) === -1)
  .map(({ source }) => `${source} stands in no known folder`);
const all = [...problems, ...climbing, ...homeless, ...folderKnots(modules)];
for (const problem of all) console.error(`layers: ${problem}`);
console.log(`layers: ${modules.length} modules, ${all.length} problems`);
process.exitCode = all.length > 0 ? 1 : 0;

/** Folders that need each other, directly or through others: neither can be read before the other. */
function folderKnots(read) {
  const needs = new Map();
  for (const { source, dependencies } of read)
    for (const { resolved: to } of dependencies) {
      const [from, into] = [dirname(source), dirname(to)];
      if (!to.startsWith("src/") || from === into) continue;
      if (!needs.has(from)) needs.set(from, new Map());
      needs.get(from).set(into, `${source} imports ${to}`);
    }
  const reach = (from) => {
    const seen = new Set();
    const open = [from];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop())
      for (const next of needs.get(folder)?.keys() ?? [])
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
    return seen;
  };
  const reached = new Map([...needs.keys()].map((folder) => [folder, reach(folder)]));
  return [...needs].flatMap(([from, ways]) =>
    [...ways]
      .filter(([into]) => reached.get(into)?.has(from))
      .map(([into, how]) => `the folders ${from} and ${into} need each other: ${how}`),
  );
}
