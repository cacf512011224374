import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { PROJECT_CASTS_FOLDER, projectConfigFile, type ConfigContext } from "./config.ts";

/**
 * [F19] The folder of the project that a folder belongs to, as git and npm find theirs: where its configuration is, else where
 * its casts are, else the folder itself.
 */
export function findProject(place: ConfigContext): ConfigContext {
  const folders = ancestorFolders(place.cwd, place.env);
  const found =
    folders.find((folder) => existsSync(projectConfigFile(folder))) ??
    folders.find((folder) => existsSync(join(folder, PROJECT_CASTS_FOLDER)));
  return found === undefined || found === place.cwd ? place : { ...place, cwd: found, startFolder: place.cwd };
}

/** The folder, then those around it: up to the top of its repository, else up to what is no longer one's own. */
function ancestorFolders(cwd: string, env: ConfigContext["env"]): readonly string[] {
  const above: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    above.push(at);
    if (existsSync(join(at, ".git")) || existsSync(join(at, ".jj"))) return above;
    if (dirname(at) === at) break;
  }
  // A file in /tmp may be anybody's, and one in the home folder would stand above everything.
  const home = resolve(env["HOME"] || homedir());
  const end = above.findIndex((folder, index) => index > 0 && (folder === home || !isOwnFolder(folder)));
  return end === -1 ? above : above.slice(0, end);
}

function isOwnFolder(folder: string): boolean {
  const me = process.getuid?.();
  // Whoever may write into a folder decides what stands in it.
  const found = statSync(folder, { throwIfNoEntry: false });
  return found !== undefined && (me === undefined || found.uid === me) && (found.mode & 0o002) === 0;
}
