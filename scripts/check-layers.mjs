// Who may import whom, as an ordered list: a folder may import itself and the folders before it.
import { cruise } from "dependency-cruiser";
import { fileURLToPath } from "node:url";

const ORDER = [
  "src/core/model",
  "src/core/command",
  "src/core/catalog",
  "src/core/compile",
  "src/core/handoff",
  "src/core/cast",
  "src/core/prompt",
  "src/core/view",
  "src/core/edit",
  "src/shell/ports.ts",
  "src/shell/version.ts",
  "src/shell/system",
  "src/shell/process",
  "src/shell/config",
  "src/shell/store",
  "src/shell/run",
  "src/shell/agents",
  "src/shell/casting",
  "src/shell/commands",
  "src/apps",
];
const PI = "node_modules/@earendil-works/";
const MAY_IMPORT_PI = ["src/shell/agents", "src/apps/pi"];
// An entry is imported by nobody and hands one face to another: `materia ui` opens the web server.
const ENTRIES = ["src/apps/cli/start.ts"];
const CORE_MAY_USE = ["node_modules/valibot/", "node_modules/jsonc-parser/", "node_modules/get-east-asian-width/"];

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
const appOf = (path) => /^src\/apps\/([^/]+)/.exec(path)?.[1];
const problems = modules.flatMap(({ source, dependencies }) =>
  dependencies.flatMap(({ resolved: to, circular, cycle = [] }) => {
    const found = [];
    // A cycle that is closed by types alone is gone when the program runs.
    const isReal = circular && !cycle.some((step) => step.dependencyTypes.includes("type-only"));
    if (isReal) found.push(`${source} and ${to} import each other`);
    if (to.startsWith("src/")) {
      if (layerOf(to) > layerOf(source)) found.push(`${source} may not import ${to}, which comes after it`);
      if (appOf(to) && appOf(to) !== appOf(source) && !ENTRIES.includes(source))
        found.push(`${source} may not import the app ${appOf(to)}`);
      if (source.startsWith("src/apps/web/client/") && !/^src\/(core|apps\/web\/client)\//.test(to))
        found.push(`${source} sees only core, not ${to}`);
    } else if (to.startsWith(PI) && !MAY_IMPORT_PI.some((folder) => source.startsWith(folder)))
      found.push(`${source} may not import Pi`);
    else if (source.startsWith("src/core/") && !CORE_MAY_USE.some((allowed) => to.startsWith(allowed)))
      found.push(`${source} is pure and may not import ${to}`);
    return found;
  }),
);
const homeless = modules
  .filter(({ source }) => layerOf(source) === -1)
  .map(({ source }) => `${source} stands in no known folder`);
for (const problem of [...problems, ...homeless]) console.error(`layers: ${problem}`);
console.log(`layers: ${modules.length} modules, ${problems.length + homeless.length} problems`);
process.exitCode = problems.length + homeless.length > 0 ? 1 : 0;
