import { spawn } from "node:child_process";
import { basename } from "node:path";
import type { CastId } from "../../../core/model/ids.ts";
import { error, fail, ok } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import { oneLine } from "../../../core/model/values/text.ts";
import type { CastStore } from "../../../shell/store/cast-store.ts";
import { packagePath } from "../../../shell/system/package-files.ts";

export interface Detached {
  readonly castId: CastId;
  readonly cwd: string;
  readonly store: CastStore;
  /** Asked where neither the cast nor a materia names one, as in this session. */
  readonly model: string | undefined;
}

/** [X37] A process of its own drives the cast from where it was paused; it is in good hands before this returns. */
export async function detach({ castId, cwd, store, model }: Detached): Promise<Result<number>> {
  const words = ["recast", castId, "--cwd", cwd, "--artifacts", store.place, "--quiet"];
  const child = spawn(
    nodePath(),
    [packagePath("bin", "materia.mjs"), ...words, ...(model === undefined ? [] : ["--model", model])],
    { cwd, detached: true, stdio: ["ignore", "ignore", "pipe"] },
  );
  const { promise, resolve } = Promise.withResolvers<Result<number>>();
  let said = "";
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const refuse = (why: string): void =>
    resolve(fail(error("not_detached", castId, `it could not be detached: ${oneLine(why, 300)}`)));
  child.once("error", (thrown) => refuse(thrown.message));
  child.once("exit", (code) => (code === REFUSED ? refuse(said) : resolve(ok(child.pid ?? 0))));
  const look = (): void => {
    store.owner(castId).then(
      (owner) => {
        if (owner) resolve(ok(owner.pid));
      },
      () => undefined,
    );
  };
  const stop = store.onOwnerChange(castId, look);
  look();
  const done = await promise;
  stop();
  child.stderr.destroy();
  child.unref();
  return done;
}

const REFUSED = 2;

/** Pi may be a program of its own that brings no Node to run a script with. */
export function nodePath(): string {
  return basename(process.execPath).startsWith("node") ? process.execPath : "node";
}
