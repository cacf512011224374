import { resolve } from "node:path";
import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import { hasErrorCode } from "../../../shell/system/files.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";
import { printText, type CliContext } from "../terminal/io.ts";

/** [MC1] Serves the project to clients of the Model Context Protocol until they close standard input. */
export async function runMcpCommand(
  { io, options, workspace }: CliContext,
  open: () => Result<Workspace>,
): Promise<Result<number>> {
  const { budget, cost, rehearse, ...others } = options;
  const configured = workspace.catalog.settings.budget;
  const limits = {
    options: { ...others, ...(rehearse === undefined ? {} : { rehearse: resolve(io.cwd, rehearse) }) },
    maxTokens: budget ?? configured.maxTokens,
    maxCostUsd: cost ?? configured.maxCostUsd,
  };
  const served = await loadServer();
  if (!served.ok) return served;
  const isRegular = await served.value({ open, limits }, (text) => printText(io, `mcp: ${text}`));
  return ok(isRegular ? 0 : 1);
}

/** An install from git without development packages lacks the library of the protocol. */
async function loadServer() {
  try {
    return ok((await import("./serve.ts")).serveMcp);
  } catch (thrown) {
    if (!hasErrorCode(thrown, "ERR_MODULE_NOT_FOUND")) throw thrown;
    const hint = "install the published package, or run npm ci in this checkout";
    return failWith("missing_package", "mcp", "the library of the Model Context Protocol is not installed", hint);
  }
}
