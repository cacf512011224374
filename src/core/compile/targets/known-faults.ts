import { isError, type Issue, type Keys } from "../../model/issue.ts";

/** Keys whose value decides nothing about where a cast goes. */
const LOOSE: readonly (string | number)[] = ["maxTraversals", "description", "label", "cursor"];

/**
 * [G16] One bad value hides nothing else: what can be read of a broken loadout is judged with it.
 * Left out is what would only be the bad value again, or a judgement about something that could not be read.
 */
export function besideFaults(faults: readonly Issue[], found: readonly Issue[]): readonly Issue[] {
  const broken = faults.filter(isError).map(({ path }) => path);
  if (broken.length === 0) return found;
  const damaged = broken.filter(isStructural).map((path) => path.slice(0, 4));
  const canBeJudged = ({ path, code }: Issue): boolean =>
    damaged.length === 0 ||
    BY_NAME.includes(code) ||
    // What concerns several sockets waits until all of them can be read.
    (path[2] === "sockets" && !damaged.some((part) => isWithin(path, part)));
  return found.filter(
    (issue) => isError(issue) && !broken.some((path) => isWithin(issue.path, path)) && canBeJudged(issue),
  );
}

/** Names are right or wrong whatever stands beside them. */
const BY_NAME: readonly Issue["code"][] = ["unknown_socket", "unknown_materia", "broken_materia"];

function isStructural(path: Keys): boolean {
  return path[2] !== "layout" && !LOOSE.includes(path.at(-1) ?? "");
}

function isWithin(path: Keys, outer: Keys): boolean {
  return outer.every((key, index) => path[index] === key);
}
