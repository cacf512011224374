import { createHmac } from "node:crypto";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { ConfigContext } from "../config.ts";
import { ensureUserKey } from "./user-key.ts";

/** What stays the same when the page of a project is served again: by whom it is known, and where it stands. */
export interface UiEndpoint {
  /** What a browser of this user proves to have; derived, so that nobody who learns it learns the key of the user. */
  readonly key: string;
  /** The port that is tried first. Nobody else can tell it beforehand, and it lies outside of those that systems give away. */
  readonly port: number;
}

const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;

/** [N33] Nothing where this user has no key and none can be kept: then each start is a stranger to the page of the last one. */
export function deriveUiEndpoint({ cwd, env }: ConfigContext, fleet?: string): UiEndpoint | undefined {
  const own = ensureUserKey(env);
  if (own === undefined) return undefined;
  // The page of a fleet is another one: an open page must not go on with other casts.
  const served = fleet === undefined ? realFolder(cwd) : `${realFolder(cwd)}\0${fleet}`;
  const of = (what: string): Buffer => createHmac("sha256", own).update(`${what}\0${served}`).digest();
  return { key: of("ui key").toString("base64url"), port: FIRST_PORT + (of("ui port").readUInt32BE() % PORT_COUNT) };
}

function realFolder(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return resolve(cwd);
  }
}
