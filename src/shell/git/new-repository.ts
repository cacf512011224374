import { execFileSync } from "node:child_process";
import { environmentOutsideHooks } from "./repository.ts";

/** git as the person has it, in a repository that was made here. */
export function runPlainGit(folder: string, ...args: readonly string[]): string {
  const env = environmentOutsideHooks();
  return execFileSync("git", ["-C", folder, ...args], { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function commitAllFiles(
  folder: string,
  { name, email, message }: { readonly name: string; readonly email: string; readonly message: string },
): void {
  runPlainGit(folder, "init", "--quiet", "--initial-branch=main");
  const settings = { "user.name": name, "user.email": email, "commit.gpgsign": "false", "core.hooksPath": "/dev/null" };
  for (const [key, value] of Object.entries(settings)) runPlainGit(folder, "config", key, value);
  runPlainGit(folder, "add", "--all");
  runPlainGit(folder, "commit", "--quiet", "--allow-empty", "--message", message);
}
