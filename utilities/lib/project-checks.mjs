import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** [Q9] How this project checks itself, by its own files: the first kind that says so. Nothing where none does. */
export function projectChecks(root) {
  for (const find of [fromPackage, fromMakefile, fromCargo, fromGo, fromPytest]) {
    const found = find(root);
    if (found) return found;
  }
  return undefined;
}

const SCRIPTS = ["test", "check", "lint"];
const LOCKS = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

function fromPackage(root) {
  const scripts = packageScripts(root);
  const name = SCRIPTS.find((each) => isRealScript(scripts[each]));
  if (!name) return undefined;
  const [, manager] = LOCKS.find(([lock]) => existsSync(join(root, lock))) ?? [undefined, "npm"];
  return { command: [manager, "run", name], why: `package.json has a script "${name}"` };
}

function packageScripts(root) {
  try {
    const { scripts } = JSON.parse(read(root, "package.json"));
    return typeof scripts === "object" && scripts !== null ? scripts : {};
  } catch {
    return {};
  }
}

/** `npm init` writes a script that only says there is none. */
function isRealScript(script) {
  return typeof script === "string" && script.trim() !== "" && !script.includes("no test specified");
}

function fromMakefile(root) {
  const file = ["GNUmakefile", "makefile", "Makefile"].find((name) => existsSync(join(root, name)));
  if (!file) return undefined;
  const text = read(root, file);
  const target = ["check", "test"].find((name) => new RegExp(`^${name}\\s*:(?!=)`, "m").test(text));
  return target && { command: ["make", target], why: `${file} has a target "${target}"` };
}

function fromCargo(root) {
  return existsSync(join(root, "Cargo.toml")) && { command: ["cargo", "test"], why: "there is a Cargo.toml" };
}

function fromGo(root) {
  return existsSync(join(root, "go.mod")) && { command: ["go", "test", "./..."], why: "there is a go.mod" };
}

const PYTEST = [
  ["pytest.ini", /./s],
  ["pyproject.toml", /^\[tool\.pytest/m],
  ["tox.ini", /^\[pytest\]/m],
  ["setup.cfg", /^\[tool:pytest\]/m],
];

function fromPytest(root) {
  const said = PYTEST.find(([file, sign]) => sign.test(read(root, file)));
  const why = said ? `${said[0]} speaks of pytest` : testFileIn(root);
  if (!why) return undefined;
  const runner = existsSync(join(root, "uv.lock")) ? ["uv", "run"] : [];
  return { command: [...runner, "python3", "-m", "pytest"], why };
}

function testFileIn(root) {
  const folder = ["tests", "test", "."].find((name) =>
    filesIn(join(root, name)).some((file) => /^test_.*\.py$/.test(file)),
  );
  return folder && `there are test_*.py files in ${folder}`;
}

function filesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What cannot be read says nothing. */
function read(root, file) {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch {
    return "";
  }
}
