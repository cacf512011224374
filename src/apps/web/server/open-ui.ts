import { randomBytes } from "node:crypto";
import { watch } from "node:fs";
import { ok } from "../../../core/model/issue.ts";
import type { OpenUi } from "../../../shell/commands/ui.ts";
import { packagePath } from "../../../shell/system/package-files.ts";
import { webApp } from "./app.ts";
import { serve } from "./http/serve.ts";
import { folderWatch } from "../../../shell/system/folder-watch.ts";
import { openRuns } from "./live/runs.ts";

/** [N1] The web UI of a project, behind a token that nobody guesses. */
export const openUi: OpenUi = async ({ place, artifacts, port = 0, openReal, report }) => {
  const token = randomBytes(32).toString("base64url");
  const runs = openRuns(report);
  let listening = port;
  const app = webApp({
    place,
    ...(artifacts === undefined ? {} : { artifacts }),
    token,
    port: () => listening,
    assets: packagePath("dist", "web"),
    openReal,
    live: { watch: folderWatch({ watch, everySecond }), runs, everySecond },
    report,
  });
  const serving = await serve(app, port);
  if (!serving.ok) return serving;
  listening = serving.value.port;
  return ok({
    url: `http://127.0.0.1:${listening}/?token=${token}`,
    close: () => serving.value.close(runs.stop),
  });
};

function everySecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1_000);
  timer.unref();
  return () => clearInterval(timer);
}
