import { expect, it } from "vitest";
import * as v from "valibot";
import { TreeSource, isAllowedRemote, protocolsFor } from "../../src/shell/git/transfer/restore-tree.ts";

const source = (change: object) =>
  v.safeParse(TreeSource, { remote: null, branch: null, below: "", ...change }).success;

it.each([
  "https://git.example.org/team/site.git",
  "https://ann@git.example.org:8443/team/site.git",
  "ssh://git@git.example.org/~ann/site.git",
  "git@github.com:team/site.git",
  "host.example.org:site.git",
  "/srv/git/with a space.git",
  "file:///srv/git/site.git",
])("[B77] a repository may be named %j", (remote) => expect(source({ remote })).toBe(true));

it.each([
  "--upload-pack=touch /tmp/x",
  "-oProxyCommand=x",
  "",
  "ext::sh -c x",
  "https::x",
  "fd::17",
  "git@-oProxyCommand=x:y",
  "ssh://-oProxyCommand=x/y",
  "ssh://a@-oProxyCommand=x/y",
  "host:-x",
  "host:../x",
  "relative/path",
  "../other.git",
  "/srv/git/../other.git",
  "https://example.org/a/../b.git",
  "https://example.org/a/%2e%2e/b.git",
  "https://example.org/a b",
  "https://example.org/a\nb",
  "/srv/a\0b",
  "javascript:1\n2",
])("[B77] git never gets the address %j", (remote) => {
  expect([source({ remote }), isAllowedRemote(remote, undefined), isAllowedRemote(remote, ["*"])]).toEqual([
    false,
    false,
    false,
  ]);
});

it("[B77] a worker fetches from other machines over https and ssh, or below the addresses of its profile", () => {
  const seen = [
    "https://a.org/x",
    "git@a.org:x",
    "ssh://a.org/x",
    "http://a.org/x",
    "git://a.org/x",
    "/srv/x",
    "file:///srv/x",
  ];
  const allowed = (remotes?: readonly string[]) => seen.map((remote) => isAllowedRemote(remote, remotes));
  expect(allowed()).toEqual([true, true, true, false, false, false, false]);
  expect(allowed(["/srv", "git@a.org:"])).toEqual([false, true, false, false, false, true, false]);
  expect(isAllowedRemote("/srvother/x", ["/srv"])).toBe(false);
  expect(isAllowedRemote("https://a.org.evil.net/x", ["https://a.org"])).toBe(false);
  expect(allowed(["*"])).toEqual(seen.map(() => true));
  expect([...seen, "--x"].map((remote) => protocolsFor(remote)["GIT_ALLOW_PROTOCOL"])).toEqual([
    "https:ssh",
    "https:ssh",
    "https:ssh",
    "http",
    "git",
    "file",
    "file",
    "",
  ]);
});

it.each([
  ["refs/heads/main", true],
  ["refs/heads/feature/größe-2", true],
  ["main", false],
  ["--x", false],
  ["refs/heads/-x", false],
  ["refs/heads/../../config", false],
  ["refs/heads/a..b", false],
  ["refs/heads/a b", false],
  ["refs/heads/a.lock", false],
  ["refs/heads/a@{1}", false],
  ["refs/remotes/origin/main", false],
])("[B77] the branch %j may be one: %s", (branch, may) => expect(source({ branch })).toBe(may));

it.each([
  ["", true],
  ["packages/web", true],
  ["..a", true],
  ["..", false],
  ["a/../../b", false],
  ["/etc", false],
  ["-x", false],
  ["a\0b", false],
])("[B78] the folder %j may be one of the tree: %s", (below, may) => expect(source({ below })).toBe(may));
