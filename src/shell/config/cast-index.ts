import { hash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import * as v from "valibot";
import { parseCastId, type CastId } from "../../core/model/ids.ts";
import { ignoreLocalErrors, isMissingFile, readStoredJson } from "../system/files.ts";
import { namesIn } from "../system/folders.ts";
import { configFolder, type ConfigContext } from "./config.ts";

const MAX_MARKS = 5_000;
const MAX_PATHS_BYTES = 16_384;

/** The folder in which a project's casts work, and the folder of these casts. */
const ProjectPaths = v.strictObject({
  cwd: v.pipe(v.string(), v.check(isAbsolute)),
  root: v.pipe(v.string(), v.check(isAbsolute)),
});
export type ProjectPaths = v.InferOutput<typeof ProjectPaths>;

export interface IndexedCast extends ProjectPaths {
  readonly castId: CastId;
  readonly isSeen: boolean;
}

interface CastMark {
  readonly name: string;
  readonly castId: CastId;
  readonly project: string;
  readonly isSeen: boolean;
}

/**
 * [YI1] The index of the user's casts, beside the trust file: an empty file for each cast, and one with the paths of each
 * project. Each change is one file, so that processes never overwrite each other. Best effort: no cast needs it.
 */
export function indexFolder(env: ConfigContext["env"]): string {
  return join(configFolder(env), "inbox");
}

/** Notes a cast that begins, goes on, ends or waits: it was not looked at since. */
export function noteCast(env: ConfigContext["env"], castId: CastId, paths: ProjectPaths): void {
  ignoreLocalErrors(() => {
    const folder = indexFolder(env);
    const project = projectDigest(paths);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${project}.json`);
    if (!existsSync(file)) writeFileSync(file, JSON.stringify(paths), { mode: 0o600 });
    // Written even if it is there: an open Pi watches the folder.
    writeFileSync(join(folder, markName(castId, project)), "", { mode: 0o600 });
    rmSync(join(folder, markName(castId, project, true)), { force: true });
    dropOldestMarks(folder);
  });
}

/** [YI4] A person has looked at these. A cast that the index does not have is not added. */
export function markSeen(env: ConfigContext["env"], casts: readonly Pick<IndexedCast, "castId" | "root">[]): void {
  const folder = indexFolder(env);
  const wanted = new Map(casts.map(({ castId, root }) => [castId, root]));
  for (const { name, castId, project, isSeen } of readMarks(folder)) {
    const root = wanted.get(castId);
    if (root === undefined || isSeen || readPaths(folder, project)?.root !== root) continue;
    ignoreLocalErrors(() => {
      writeFileSync(join(folder, markName(castId, project, true)), "", { mode: 0o600 });
      rmSync(join(folder, name), { force: true });
    });
  }
}

/** Newest first. Projects that are gone drop out; those that cannot be read now stay. */
export function listIndexedCasts(env: ConfigContext["env"]): readonly IndexedCast[] {
  const folder = indexFolder(env);
  const marks = Map.groupBy(readMarks(folder), ({ project }) => project);
  const casts = [...marks].flatMap(([project, own]) => {
    const paths = readPaths(folder, project);
    if (paths && !isGone(paths.root)) return own.map(({ castId, isSeen }) => ({ castId, isSeen, ...paths }));
    for (const name of [`${project}.json`, ...own.map((mark) => mark.name)]) dropFile(folder, name);
    return [];
  });
  return casts.toSorted((a, b) => (a.castId < b.castId ? 1 : -1));
}

export function dropFromIndex(env: ConfigContext["env"], { castId, ...paths }: IndexedCast): void {
  const project = projectDigest({ cwd: paths.cwd, root: paths.root });
  for (const isSeen of [true, false]) dropFile(indexFolder(env), markName(castId, project, isSeen));
}

function projectDigest({ cwd, root }: ProjectPaths): string {
  return hash("sha256", `${cwd}\0${root}`).slice(0, 32);
}

function markName(castId: CastId, project: string, isSeen = false): string {
  return `${castId}.${project}${isSeen ? ".seen" : ""}`;
}

const MARK_NAME = /^(?<id>[\w-]+)\.(?<project>[0-9a-f]{32})(?<seen>\.seen)?$/;

/** Of each cast one mark; names of other files are ignored. */
function readMarks(folder: string): readonly CastMark[] {
  const marks = namesIn(folder).flatMap((name) => {
    const { id = "", project = "", seen } = MARK_NAME.exec(name)?.groups ?? {};
    const castId = parseCastId(id);
    return castId === undefined ? [] : [{ name, castId, project, isSeen: seen !== undefined }];
  });
  const unseen = new Set(marks.filter(({ isSeen }) => !isSeen).map(({ name }) => name));
  return marks.filter(({ name, isSeen }) => !isSeen || !unseen.has(name.slice(0, -".seen".length)));
}

/** Damaged files and those whose name belongs to other paths name no project. */
function readPaths(folder: string, project: string): ProjectPaths | undefined {
  const paths = readStoredJson(ProjectPaths, join(folder, `${project}.json`), MAX_PATHS_BYTES);
  return paths && projectDigest(paths) === project ? paths : undefined;
}

function isGone(root: string): boolean {
  try {
    return !statSync(root).isDirectory();
  } catch (thrown) {
    return isMissingFile(thrown);
  }
}

/** Casts that were looked at first; ids sort by time. */
function dropOldestMarks(folder: string): void {
  const marks = readMarks(folder);
  const rank = ({ isSeen, name }: CastMark): string => `${isSeen ? 0 : 1}${name}`;
  const extra = marks.length - MAX_MARKS;
  if (extra <= 0) return;
  for (const { name } of marks.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, extra)) dropFile(folder, name);
}

function dropFile(folder: string, name: string): void {
  ignoreLocalErrors(() => rmSync(join(folder, name), { force: true }));
}
