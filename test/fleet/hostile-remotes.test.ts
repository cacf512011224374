import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { gitErrorText, runGit } from "../../src/shell/git/repository.ts";
import { listRemoteHeads, pushNewBranch } from "../../src/shell/git/transfer/branches.ts";
import { restoreTransferredTree } from "../../src/shell/git/transfer/restore-tree.ts";
import { pushResultBranch } from "../../src/shell/fleet/worker/push-result.ts";
import { commitAll, git, scratch } from "../git/scratch.ts";
import { gone, pidIn, said } from "../harness/doomed.ts";

interface RemotePlace {
  readonly cwd: string;
  readonly remote: string;
  readonly commit: string;
}

/** A repository, and a remote whose programs are hostile. */
function remotePlace(hook: string): RemotePlace {
  const cwd = scratch();
  writeFileSync(join(cwd, "a.txt"), "a\n");
  commitAll(cwd);
  const remote = join(scratch(), "remote.git");
  git(cwd, "init", "-q", "--bare", remote);
  const file = join(remote, "hooks", "pre-receive");
  writeFileSync(file, `#!/bin/sh\n${hook}\n`);
  chmodSync(file, 0o755);
  return { cwd, remote, commit: git(cwd, "rev-parse", "HEAD") };
}

const REF = "refs/heads/materia/c-1";

it("[B87] a remote that never answers ends with the call of git, and so do the programs that git started", async () => {
  const { cwd, remote, commit } = remotePlace(`echo $$ > "$PWD/../pid"; while :; do sleep 60; done`);
  const stop = new AbortController();
  const args = ["push", "--", remote, `${commit}:${REF}`];
  const pushing = runGit(args, { cwd, env: { GIT_ALLOW_PROTOCOL: "file" }, signal: stop.signal });
  await said(join(remote, "..", "pid"), "\n");
  stop.abort();
  expect((await pushing).ok).toBe(false);
  await gone(pidIn(join(remote, "..", "pid")));
});

it("[B87] what a remote says is one short line without control characters", async () => {
  const { cwd, remote, commit } = remotePlace(
    `printf 'no\\000\\033[2J\\007%s' "$(head -c 20000 /dev/zero | tr '\\0' x)" >&2; exit 1`,
  );
  const problem = await pushNewBranch(cwd, remote, { ref: REF, commit });
  expect(problem).toMatch(/^remote: no[^\p{Cc}]+$/u);
  expect(problem?.length).toBeLessThanOrEqual(500);
});

it("[B87] a remote that talks without end is heard to a limit", async () => {
  const { cwd, remote, commit } = remotePlace(`yes loud | head -c 2000000 >&2; exit 1`);
  const problem = await pushNewBranch(cwd, remote, { ref: REF, commit });
  expect(problem).toBe("remote: loud");
});

it("[B24] settings that were planted where the result is pushed from send it nowhere else, and start nothing", async () => {
  const { cwd, remote } = remotePlace("exit 0");
  git(cwd, "push", "-q", remote, "main");
  const other = remotePlace("exit 0").remote;
  const trap = join(scratch(), "trap");
  for (const name of ["pre-push", "reference-transaction", "post-checkout"]) {
    writeFileSync(join(cwd, ".git", "hooks", name), `#!/bin/sh\ntouch ${trap}\n`);
    chmodSync(join(cwd, ".git", "hooks", name), 0o755);
  }
  for (const [key, value] of [
    ["core.sshCommand", `touch ${trap};`],
    ["credential.helper", `!touch ${trap};`],
    [`url.${other}.insteadOf`, remote],
    [`url.${other}.pushInsteadOf`, remote],
    ["remote.pushDefault", other],
  ] as const)
    git(cwd, "config", key, value);
  const source = { remote, branch: "refs/heads/main", below: "", follows: true } as const;
  const transfer = { packs: [], source, folder: cwd, cacheFolder: scratch(), cacheSecret: "", remotes: [remote] };
  const made = await restoreTransferredTree(transfer);
  if (made.kind === "failed") throw new Error(made.problem);
  const sent = await pushResultBranch({ castId: "c-1", top: cwd, ...made, remote, env: {} });
  expect([sent, git(other, "for-each-ref")]).toEqual([{ branch: "materia/c-1", commit: expect.any(String) }, ""]);
  expect(git(remote, "for-each-ref", "--format=%(refname)")).toContain(REF);
  await expect(listRemoteHeads(cwd, "ssh://git@127.0.0.1:1/x")).rejects.toThrow("cannot be read");
  expect(existsSync(trap)).toBe(false);
});

/** An answer of a server on this machine for every request. */
async function serve(
  answer: Parameters<typeof createServer>[1],
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer({}, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`, server }; // it listens
}

it.each([
  ["garbage", "\0\x1b[2J<html>no git here"],
  ["a wrong length", "00zz# service=git-receive-pack\n0000"],
  ["an advertisement that is cut off", "001f# service=git-receive-pack\n0000009a"],
])("[B87] %s as the answer of a remote is a problem, and nothing is pushed", async (_what, body) => {
  const { url } = await serve((_request, response) => {
    response.setHeader("content-type", "application/x-git-receive-pack-advertisement");
    response.end(body);
  });
  const { cwd, commit } = remotePlace("exit 0");
  const problem = await pushNewBranch(cwd, url, { ref: REF, commit });
  expect(problem).toMatch(/^[^\p{Cc}]+$/u);
});

it("[B77, B87] with addresses in the profile a redirect is not followed: it could lead outside", async () => {
  const asked: string[] = [];
  const target = await serve((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(404).end();
  });
  const { url } = await serve((request, response) => {
    response.writeHead(302, { location: target.url.replace("/x.git", request.url ?? "") }).end();
  });
  const { cwd, commit } = remotePlace("exit 0");
  expect(await pushNewBranch(cwd, url, { ref: REF, commit, remotes: [url] })).toEqual(expect.any(String));
  await expect(listRemoteHeads(cwd, url, [url])).rejects.toThrow("cannot be read");
  expect(asked).toEqual([]);
});

it("[B87] the first line of git's complaint is bounded", () => {
  const failed = { ok: false, code: 1, stdout: Buffer.alloc(0), stderr: `fatal: ${"x".repeat(9_000)}` };
  expect(gitErrorText(failed).length).toBe(500);
});
