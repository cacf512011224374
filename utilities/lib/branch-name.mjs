import { refuse } from "./utility.mjs";

/** [U21] The name asked for, else one that tells people what the branch is about. */
export function wantedBranch({ params, request, castId }) {
  const asked = params.branch ?? undefined;
  if (asked === undefined) return `materia/${slugOf(request) || slugOf(castId) || "work"}`;
  if (typeof asked === "string" && isRefName(asked)) return asked;
  return refuse(
    `params.branch is ${JSON.stringify(asked)}, which no branch can be called`,
    'name it like "feature/search"',
  );
}

/** [U22] The wanted name when nothing has it, else the first free number after it. */
export function freeName(wanted, taken) {
  // Lower case: on some disks `Fix` and `fix` are one file, and so one branch.
  const names = taken.filter((name) => name !== "").map((name) => name.toLowerCase());
  // Git keeps a branch `a` as a file, so `a/b` has no place beside it.
  const blocked = names.some((name) => wanted.toLowerCase().startsWith(`${name}/`));
  const base = blocked ? wanted.replaceAll("/", "-") : wanted;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    const low = name.toLowerCase();
    if (!names.some((other) => other === low || other.startsWith(`${low}/`))) return name;
  }
}

function slugOf(text) {
  if (typeof text !== "string") return "";
  const plain = text.slice(0, 500).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const [first = "", ...words] = plain.match(/[a-z0-9]+/g) ?? [];
  let slug = first.slice(0, 40);
  for (const word of words) {
    if (slug.length + word.length >= 40) break;
    slug += `-${word}`;
  }
  return slug;
}

function isRefName(name) {
  if (/^-|^@$|^HEAD$|\.\.|@\{|\.$/.test(name)) return false;
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}
