import { commandAt, quiet, settingsOf } from "./command.mjs";

/**
 * [U40, U45] Git that may speak with a remote, and runs no program that the repository's own configuration names for it: how to
 * log in and how to reach the other side is the person's own business.
 */
export function remoteGit(root, gitDir) {
  const own = personal(root);
  const settings = [
    ...quiet,
    ...[
      "protocol.allow=user",
      "protocol.ext.allow=never",
      "core.askPass=",
      "push.gpgSign=false",
      "credential.helper=",
    ].flatMap((setting) => ["-c", setting]),
    ...own("credential.helper").flatMap((helper) => ["-c", `credential.helper=${helper}`]),
    ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]),
  ];
  return commandAt(root, "git", settings, { GIT_SSH_COMMAND: own("core.sshCommand").at(-1) ?? "ssh" });
}

/** Settings for git under another program, so that it runs no more than ours does. */
export function quietEnvironment(gitDir) {
  const pairs = quiet
    .filter((word) => word !== "-c")
    .map((setting) => setting.split("="))
    .filter(([key]) => key !== "protocol.allow");
  return { ...settingsOf(pairs), ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }) };
}

/** Values of the person's own configuration and the system's, not those of the repository. */
function personal(root) {
  const git = commandAt(root, "git", quiet);
  return (key) =>
    ["--system", "--global"].flatMap((scope) => {
      const done = git.run(["config", scope, "--null", "--get-all", key]);
      return done.code === 0 ? done.stdout.toString("utf8").split("\0").filter(Boolean) : [];
    });
}
