import { isError, type Issue, type KeyPath } from "../../model/issue.ts";

/** Keys whose value decides nothing about where a cast goes. */
const KEYS_WITHOUT_EFFECT: readonly (string | number)[] = ["maxTraversals", "description", "label", "cursor"];

/**
 * [G16] One bad value hides nothing else: what can be read of a broken loadout is judged with it.
 * Left out is what would only be the bad value again, or a judgement about something that could not be read.
 */
export function withoutFollowUpIssues(faults: readonly Issue[], found: readonly Issue[]): readonly Issue[] {
  const broken = faults.filter(isError).map(({ path }) => path);
  if (broken.length === 0) return found;
  const damaged = broken.filter(affectsStructure).map((path) => path.slice(0, 4));
  const canBeJudged = ({ path, code }: Issue): boolean =>
    damaged.length === 0 ||
    NAME_ISSUE_CODES.includes(code) ||
    // What concerns several sockets waits until all of them can be read.
    (path[2] === "sockets" && !damaged.some((part) => isWithin(path, part)));
  return found.filter(
    (issue) => isError(issue) && !broken.some((path) => isWithin(issue.path, path)) && canBeJudged(issue),
  );
}

/** Names are right or wrong whatever stands beside them. */
const NAME_ISSUE_CODES: readonly Issue["code"][] = ["unknown_socket", "unknown_materia", "broken_materia"];

function affectsStructure(path: KeyPath): boolean {
  return path[2] !== "layout" && !KEYS_WITHOUT_EFFECT.includes(path.at(-1) ?? "");
}

function isWithin(path: KeyPath, outer: KeyPath): boolean {
  return outer.every((key, index) => path[index] === key);
}
