import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { FleetProfile } from "../../../core/model/config.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { didYouMean } from "../../../core/model/values/nearest.ts";
import { configFolder, type ConfigContext } from "../../config/config.ts";
import { LOCAL_FLEET, localFleetUrl } from "../embedded/local.ts";
import { errorText } from "../../system/problem.ts";

/** A fleet as it is used: everything said, every variable filled in. */
export interface ResolvedFleetProfile {
  readonly name: string;
  readonly url: string;
  readonly ca?: string;
  readonly project: string;
  readonly queue: string;
  readonly setup?: readonly string[];
  readonly deliver?: "push";
  readonly maxCheckpointBytes: number;
}

const MAX_CHECKPOINT_BYTES = 200 * 1024 * 1024;

/** [B3] The fleet of a name, out of the user's own configuration. */
export function resolveFleetProfile({ fleet }: Pick<Catalog, "fleet">, name: string, place: ConfigContext): Result<ResolvedFleetProfile> {
  const profiles = fleet?.profiles ?? {};
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const local = found || name !== LOCAL_FLEET ? undefined : localFleetUrl(place.env);
  if (local !== undefined) return ok(withProfileDefaults({ name, url: local, project: basename(place.cwd) }));
  if (!found) {
    const known = Object.keys(profiles);
    const up =
      name === LOCAL_FLEET ? `"materia fleet up" starts it` : `write fleet.profiles.${name}.url into your own configuration`;
    const message = `there is no fleet "${name}"${name === LOCAL_FLEET ? " on this machine" : " in your configuration"}`;
    return fail(error("unknown_fleet", name, message, (name === LOCAL_FLEET ? undefined : didYouMean(name, known)) ?? up));
  }
  const url = expandVariables(found.url, name, place.env);
  if (!url.ok) return url;
  const ca = readCertificate(found, name, place.env);
  if (!ca.ok) return ca;
  const { url: _url, ca: _ca, project = basename(place.cwd), ...said } = found;
  return ok(
    withProfileDefaults({ ...said, name, url: url.value, project, ...(ca.value === undefined ? {} : { ca: ca.value }) }),
  );
}

function withProfileDefaults(said: Pick<ResolvedFleetProfile, "name" | "url" | "project"> & Partial<ResolvedFleetProfile>): ResolvedFleetProfile {
  return { queue: "casts", maxCheckpointBytes: MAX_CHECKPOINT_BYTES, ...said };
}

/** `$NAME` and `${NAME}`: a password need not stand in a file. */
function expandVariables(text: string, profile: string, env: ConfigContext["env"]): Result<string> {
  const missing = [...text.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g)].flatMap(([, name = ""]) =>
    env[name] ? [] : [name],
  );
  const at = `fleet.profiles.${profile}.url`;
  if (missing.length > 0)
    return fail(...missing.map((name) => error("missing_environment", at, `the environment has no ${name}`)));
  return ok(text.replace(/\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g, (_all, name: string) => env[name] ?? ""));
}

function readCertificate({ ca }: FleetProfile, profile: string, env: ConfigContext["env"]): Result<string | undefined> {
  if (ca === undefined) return ok(undefined);
  const file = resolve(configFolder(env), ca);
  try {
    return ok(readFileSync(file, "utf8"));
  } catch (thrown) {
    return fail({ ...error("unreadable_file", `fleet.profiles.${profile}.ca`, errorText(thrown)), file });
  }
}
