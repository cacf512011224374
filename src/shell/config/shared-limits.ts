import { hash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { MAX_WAIT_MS } from "../../core/cast/provider-refusal.ts";
import type { AgentHost, ProviderLimit, SharedLimits } from "../ports.ts";
import { ignoreLocalErrors, readStoredJson, replaceFile } from "../system/files.ts";
import { realPathOrSame } from "../system/folders.ts";
import { configFolder, type ConfigContext } from "./config.ts";

const MAX_BYTES = 8_192;
const LimitFile = v.object({ until: v.number(), metAt: v.number(), reason: v.string(), key: v.optional(v.string()) });

/** [Z17] A file per model of a project, in the folder of the user: nothing in a project can plant one. Best effort. */
export function openSharedLimits(
  env: ConfigContext["env"],
  location: string,
  keyDigest: AgentHost["keyDigest"],
): SharedLimits {
  const folder = join(configFolder(env), "provider-limits");
  const project = realPathOrSame(location);
  const fileOf = (model: string): string => join(folder, `${hash("sha256", `${project}\0${model}`).slice(0, 32)}.json`);
  return {
    find: async (model, now) => {
      const limit = readStoredJson(LimitFile, fileOf(model), MAX_BYTES);
      return limit && lasts(limit, now) && limit.key === (await keyDigest?.(model)) ? limit : undefined;
    },
    record: async (model, limit) => {
      const text = JSON.stringify({ ...limit, key: await keyDigest?.(model) });
      ignoreLocalErrors(() => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        replaceFile(fileOf(model), text);
      });
    },
    clear: async (model) => ignoreLocalErrors(() => rmSync(fileOf(model), { force: true })),
  };
}

/** [Z16] The limits that casts of one worker have met. */
export function createWorkerLimits() {
  const met = new Map<string, ProviderLimit>();
  return {
    find: async (model, now) => {
      const limit = met.get(model);
      return limit && lasts(limit, now) ? limit : undefined;
    },
    record: async (model, limit) => void met.set(model, limit),
    clear: async (model) => void met.delete(model),
    list: (now: number) => [...met].flatMap(([model, limit]) => (lasts(limit, now) ? [{ model, ...limit }] : [])),
  } satisfies SharedLimits & { readonly list: unknown };
}

/** A clock that was set back, or a file of a wrong clock, must not stop anybody for months. */
function lasts({ until, metAt }: ProviderLimit, now: number): boolean {
  return until > now && until <= now + MAX_WAIT_MS && metAt <= now;
}
