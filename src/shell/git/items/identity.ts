import { runGit } from "../run-git.ts";

/** Who writes a commit: the person whom git knows, else the program. */
export async function identityOf(cwd: string): Promise<Readonly<Record<string, string>>> {
  const known = await runGit(["var", "GIT_AUTHOR_IDENT"], { cwd });
  if (known.ok) return {};
  const [name, email] = ["pi-materia", "pi-materia@localhost"];
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}
