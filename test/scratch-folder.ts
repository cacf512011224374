import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One folder for all that a run of the tests makes, the programs they start included: a killed one cleans up nothing. */
export default function setup(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "materia-tests-")));
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
