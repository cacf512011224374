import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { git } from "../git/scratch.ts";
import { put } from "../harness/cli.ts";
import { fleetPlace } from "../harness/fleet/fleet-place.ts";
import { ended } from "../harness/fleet/items-place.ts";

/** Each reaches for a repository that only root can read. */
const ATTACKS = {
  Alternates: (secret: string, commit: string) =>
    `echo ${secret}/.git/objects >> .git/objects/info/alternates; echo ${commit} > .git/HEAD`,
  Pointer: (secret: string) => `mv .git old; echo "gitdir: ${secret}/.git" > .git`,
  Link: (secret: string) => `mv .git old; ln -s ${secret}/.git .git`,
  Worktree: (secret: string) => `git config core.worktree ${secret}`,
  Index: (secret: string) => `rm .git/index; ln -s ${secret}/.git/index .git/index; mkfifo .git/info/attributes`,
};

it.runIf(process.getuid?.() === 0)(
  "[B86] nothing that a program writes into .git opens a repository of the worker's user",
  async () => {
    const place = await fleetPlace();
    const folder = mkdtempSync("/tmp/materia-tools-");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o711);
    const secret = join(folder, "secret");
    mkdirSync(secret, { mode: 0o700 });
    git(secret, "init", "-q");
    writeFileSync(join(secret, "secret.txt"), "of root alone");
    git(secret, "add", "-A");
    git(secret, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "secret");
    const commit = git(secret, "rev-parse", "HEAD").trim();
    const before = git(secret, "for-each-ref");
    const attacks = Object.entries(ATTACKS);
    put(place.cwd, {
      "conf.json": {
        materia: Object.fromEntries(
          attacks.map(([name, attack]) => [
            name,
            {
              type: "utility",
              command: ["sh", "-c", `${attack(secret, commit)}; echo x > new.txt; echo "{}"`],
              parse: "json",
            },
          ]),
        ),
        loadouts: Object.fromEntries(
          attacks.map(([name]) => [name, { entry: "Socket-1", sockets: { "Socket-1": { materia: name } } }]),
        ),
      },
    });
    await place.worker({ folder: join(folder, "work"), toolsUser: "nobody", concurrency: 1 });
    for (const [name] of attacks) {
      const sent = await place.materia("cast", "--loadout", name, "--detach", "go");
      await ended(place, sent.stdout.trim());
      await place.materia("take", sent.stdout.trim());
      expect(git(place.cwd, "cat-file", "--batch-all-objects", "--batch-check")).not.toContain(commit);
      expect([name, git(secret, "for-each-ref"), git(secret, "status", "--porcelain")]).toEqual([name, before, ""]);
    }
  },
);
