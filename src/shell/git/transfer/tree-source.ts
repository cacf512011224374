import { posix } from "node:path";
import * as v from "valibot";

/** An encrypted address of another machine. A host or path that begins with a dash would be an option of a program. */
const REMOTE_URL = /^(https?|ssh|git):\/\/(?:[^\s/@]*@)?[A-Za-z0-9[][^\s/@]*(?:\/[^\s\p{Cc}]*)?$/u;
/** `host:path`, as ssh takes it. Two colons would name a program (`ext::`). */
const SSH_ADDRESS = /^(?:[A-Za-z0-9_][\w.-]*@)?[A-Za-z0-9][\w.-]*:(?![:-]|\/\/)[^\s\p{Cc}]+$/u;
const LOCAL_PATH = /^(?:file:\/\/)?\/[^\p{Cc}]*$/u;
/** A path that climbs may leave the folder that `remotes` allows. */
const CLIMBS = /(^|[/:])(\.|%2e){1,2}([/?#]|$)/i;
const MAX_ADDRESS = 2_000;

/** [B77] Another text would reach git as an option, or name a program. */
const RemoteAddress = v.pipe(
  v.string(),
  v.maxLength(MAX_ADDRESS),
  v.check((text) => protocolOf(text) !== undefined && !CLIMBS.test(text)),
);

/** A part that git would refuse, or take for an option or a revision. */
const BRANCH_REF =
  /^refs\/heads\/(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)|\/\.|\.$|\/$))[^-./\s\p{Cc}~^:?*[\\][^\s\p{Cc}~^:?*[\\]*$/u;

/** [B78] A folder inside the tree. */
const FolderBelow = v.pipe(
  v.string(),
  v.maxLength(4_096),
  v.check((path) => !posix.isAbsolute(path) && !path.split(/[/\\]/).includes("..") && !/^-|\0/.test(path)),
);

/** The source of the files of a cast. Members write it: nothing of it reaches a program unchecked. */
export const TreeSource = v.object({
  /** The repository of the pushed commits; null if the first pack has everything. */
  remote: v.nullable(RemoteAddress),
  branch: v.nullable(v.pipe(v.string(), v.maxLength(1_000), v.regex(BRANCH_REF))),
  /** The folder below the top that the cast works in. */
  below: FolderBelow,
  /** [B43] Set if the cast starts with the present state of the branch in that repository. */
  follows: v.exactOptional(v.literal(true)),
});
export type TreeSource = v.InferOutput<typeof TreeSource>;

/** git's name of the protocol of an address; undefined if it has no form that git may get. */
function protocolOf(remote: string): "https" | "http" | "ssh" | "git" | "file" | undefined {
  const [, scheme] = REMOTE_URL.exec(remote) ?? [];
  if (scheme !== undefined) return scheme as "https" | "http" | "ssh" | "git"; // the alternatives of the pattern
  if (LOCAL_PATH.test(remote)) return "file";
  return SSH_ADDRESS.test(remote) ? "ssh" : undefined;
}

/**
 * [B77] Where a worker may fetch and push: below the addresses of its profile, or on other machines over https and ssh. A
 * path of this machine could be another project's repository, and a push would run its hooks.
 */
export function isAllowedRemote(remote: string, allowed: AllowedRemotes): boolean {
  const protocol = protocolOf(remote);
  if (protocol === undefined || CLIMBS.test(remote)) return false;
  if (allowed === undefined) return protocol === "https" || protocol === "ssh";
  return allowed.some(
    (each) => each === "*" || remote === each || remote.startsWith(/[/:]$/.test(each) ? each : `${each}/`),
  );
}

export type AllowedRemotes = readonly string[] | undefined;

/** [B87] A redirect could lead outside of the addresses of the profile. */
export function redirectOptions(allowed: AllowedRemotes): readonly string[] {
  return allowed === undefined || allowed.includes("*") ? [] : ["-c", "http.followRedirects=false"];
}

/** [B77] The protocols that one call of git may use; the worker's own configuration may turn https into ssh. */
export function protocolsFor(remote: string): Readonly<Record<string, string>> {
  const protocol = protocolOf(remote);
  return { GIT_ALLOW_PROTOCOL: protocol === "https" || protocol === "ssh" ? "https:ssh" : (protocol ?? "") };
}
