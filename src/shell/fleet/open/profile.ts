import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { FleetProfile } from "../../../core/model/config.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { didYouMean } from "../../../core/model/values/nearest.ts";
import { configFolder, type ConfigPlace } from "../../config/config.ts";
import { LOCAL, localUrl } from "../embedded/local.ts";
import { problemText } from "../../system/problem.ts";

/** A fleet as it is used: everything said, every variable filled in. */
export interface Profile {
  readonly name: string;
  readonly url: string;
  readonly ca?: string;
  readonly project: string;
  readonly queue: string;
  readonly setup?: readonly string[];
  readonly deliver?: "push";
  readonly maxCheckpointBytes: number;
}

const MOST_BYTES = 200 * 1024 * 1024;

/** [B3] The fleet of a name, out of the user's own configuration. */
export function findProfile({ fleet }: Pick<Catalog, "fleet">, name: string, place: ConfigPlace): Result<Profile> {
  const profiles = fleet?.profiles ?? {};
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const local = found || name !== LOCAL ? undefined : localUrl(place.env);
  if (local !== undefined) return ok(defaultsOf({ name, url: local, project: basename(place.cwd) }));
  if (!found) {
    const known = Object.keys(profiles);
    const up =
      name === LOCAL ? `"materia fleet up" starts it` : `write fleet.profiles.${name}.url into your own configuration`;
    const message = `there is no fleet "${name}"${name === LOCAL ? " on this machine" : " in your configuration"}`;
    return fail(error("unknown_fleet", name, message, (name === LOCAL ? undefined : didYouMean(name, known)) ?? up));
  }
  const url = filledIn(found.url, name, place.env);
  if (!url.ok) return url;
  const ca = readCertificate(found, name, place.env);
  if (!ca.ok) return ca;
  const { url: _url, ca: _ca, project = basename(place.cwd), ...said } = found;
  return ok(
    defaultsOf({ ...said, name, url: url.value, project, ...(ca.value === undefined ? {} : { ca: ca.value }) }),
  );
}

function defaultsOf(said: Pick<Profile, "name" | "url" | "project"> & Partial<Profile>): Profile {
  return { queue: "casts", maxCheckpointBytes: MOST_BYTES, ...said };
}

/** `$NAME` and `${NAME}`: a password need not stand in a file. */
function filledIn(text: string, profile: string, env: ConfigPlace["env"]): Result<string> {
  const missing = [...text.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g)].flatMap(([, name = ""]) =>
    env[name] ? [] : [name],
  );
  const at = `fleet.profiles.${profile}.url`;
  if (missing.length > 0)
    return fail(...missing.map((name) => error("missing_environment", at, `the environment has no ${name}`)));
  return ok(text.replace(/\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g, (_all, name: string) => env[name] ?? ""));
}

function readCertificate({ ca }: FleetProfile, profile: string, env: ConfigPlace["env"]): Result<string | undefined> {
  if (ca === undefined) return ok(undefined);
  const file = resolve(configFolder(env), ca);
  try {
    return ok(readFileSync(file, "utf8"));
  } catch (thrown) {
    return fail({ ...error("unreadable_file", `fleet.profiles.${profile}.ca`, problemText(thrown)), file });
  }
}
