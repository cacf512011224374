import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The last commit of version 0.1.0. */
const FIRST_RELEASE = "6144c3afcd6ce634ac17e5662f853d86fbd2488c";

/**
 * The engine of the first release with the same workload, bundled from the git history.
 * A sentence where the history is missing, as in a tarball or a shallow clone.
 */
export async function bundleFirstRelease(): Promise<{ readonly engine: string } | string> {
  // Inside node_modules: the old sources find their dependencies there.
  const folder = join("node_modules", ".cache", "materia-bench-first");
  const [sources, dist] = [join(folder, "sources"), join(ROOT, folder, "dist")];
  rmSync(join(ROOT, folder), { recursive: true, force: true });
  mkdirSync(join(ROOT, sources), { recursive: true });
  const archive = join(ROOT, folder, "sources.tar");
  try {
    const git = ["archive", "--format=tar", `--output=${archive}`, FIRST_RELEASE, "bench", "src"];
    execFileSync("git", git, { cwd: ROOT, stdio: "ignore" });
  } catch {
    return `not measured: the git history of 0.1.0 (${FIRST_RELEASE.slice(0, 7)}) is not in this checkout`;
  }
  execFileSync("tar", ["-xf", archive, "-C", join(ROOT, sources)]);
  // Both engines report their memory in the same way.
  for (const file of ["engine-child.mjs", join("peers", "peak-memory.mjs")])
    cpSync(join(ROOT, "bench", file), join(ROOT, sources, "bench", file));
  const { bundle } = await import("../../scripts/bundle.ts");
  await bundle({ engine: join(sources, "bench", "engine-child.mjs") }, dist);
  return { engine: join(dist, "engine.js") };
}
