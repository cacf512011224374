import { socketOf } from "../compile/graph.ts";
import type { OpenPoint } from "../cast/state/parallel-run.ts";
import type { CastState, LoopPass, Visit } from "../cast/state/state.ts";
import { isJsonObject } from "../model/json.ts";
import { truncate } from "../model/text.ts";

export function section(title: string, body: string): string {
  return isBlank(body) ? "" : `## ${title}\n\n${body}`;
}

export function join(parts: readonly string[]): string {
  let text = "";
  for (const part of parts) if (!isBlank(part)) text += text === "" ? part : `\n\n${part}`;
  return text;
}

export function itemLabel(item: string | null): string {
  return item === null ? "" : `, item "${truncate(item, 500)}"`;
}

function isBlank(text: string): boolean {
  return text === "" || text.trim() === "";
}

export interface RepositoryFacts {
  /** Null for a detached HEAD. */
  readonly branch: string | null;
  /** The commits of this cast, oldest first, as `hash subject`. */
  readonly made: readonly string[];
  readonly subjects: readonly string[];
  readonly uncommitted: readonly string[];
}

const LIMITS = { title: 500, context: 1_500, items: 20_000, reason: 900, subject: 200, names: 1_000 } as const;

/** [P13] Whether the visit stands outside loops, and a loop over a list has ended. */
export function isAfterLoop({ pass, lastPass }: Pick<CastState, "pass" | "lastPass">): boolean {
  return pass === null && lastPass !== null;
}

/** [P13, P14] What an agent outside loops cannot know: the items and how they ended, the commits, the open points. */
export function workSoFarParts(
  state: CastState,
  visit: Visit,
  repository: RepositoryFacts | undefined,
): readonly string[] {
  const { pass, lastPass } = state;
  if (pass !== null) return [];
  const open = section("Left open by earlier visits", openText(state, visit));
  if (lastPass === null) return [open];
  const { generator } = socketOf(state.graph, visit.socket);
  return [section("Items of this cast", itemsText(state, lastPass, generator)), commitsPart(repository), open];
}

function itemsText(state: CastState, pass: LoopPass, isGenerator: boolean): string {
  const { loop, items } = pass;
  const steps = new Set((state.graph.loops[loop]?.sockets ?? []).map((id) => socketOf(state.graph, id).materia));
  const lines: string[] = [];
  let room: number = LIMITS.items;
  for (const [index, { title, context }] of items.entries()) {
    const about = context.trim() === "" ? "" : `\n   ${truncate(context.trim(), LIMITS.context)}`;
    const line = `${index + 1}. ${truncate(title, LIMITS.title)}${itemStatus(pass, index)}${about}`;
    if (line.length > room) {
      lines.push(`… [cut: ${items.length - index} more items]`);
      break;
    }
    lines.push(line);
    room -= line.length;
  }
  const given = pass.givenUp.length === 0 ? "" : ` Given up: ${pass.givenUp.length} of ${items.length}.`;
  const replan = isGenerator ? " What is done stays done; what is open is kept in substance." : "";
  return join([
    `The loop over these items is over. Its steps were ${[...steps].join(", ")}.${given}${replan}`,
    lines.join("\n"),
  ]);
}

function itemStatus(pass: LoopPass, at: number): string {
  const given = pass.givenUp.find(({ index }) => index === at);
  if (given) return ` (given up: ${truncate(given.reason.trim() || "no reason was given", LIMITS.reason)})`;
  return at >= pass.cursor ? " (not finished)" : "";
}

function commitsPart(repository: RepositoryFacts | undefined): string {
  if (repository === undefined) return "";
  const { branch, made, uncommitted } = repository;
  const where = branch === null ? "HEAD is detached." : `Branch: ${truncate(branch, LIMITS.subject)}`;
  const lines = made.map((line) => `- ${truncate(line, LIMITS.subject)}`);
  const open = uncommitted.length === 0 ? [] : [`Not committed: ${truncate(uncommitted.join(", "), LIMITS.names)}`];
  return section("Commits of this cast", [where, ...(lines.length === 0 ? ["None."] : lines), ...open].join("\n"));
}

/** [P14] Points that the message has elsewhere are left out: in a note, a report or the handoff. Equal points are one. */
function openText({ reports, handed, lastPass }: CastState, { socket, reworked }: Visit): string {
  const points = reports.open.filter(({ text, ...by }) => {
    if (lastPass?.note?.text.includes(text) || (by.socket === socket && reworked)) return false;
    return !(by.socket === handed?.socket && by.item === handed.item && handed.text.includes(text));
  });
  const byText = [...Map.groupBy(points, ({ text }) => text)];
  return byText
    .map(([text, [first, ...others]]) => `- ${first ? reporterLabel(first, others.length) : ""}: ${text}`)
    .join("\n");
}

function reporterLabel({ materia, item }: OpenPoint, others: number): string {
  const about = item === null ? "" : `, "${truncate(item, LIMITS.title)}"`;
  return `${materia}${about}${others === 0 ? "" : ` and ${others} more`}`;
}

/** [P16] Subjects of the last commits. */
export function lastCommitsText(repository: RepositoryFacts | undefined): string {
  return (repository?.subjects ?? []).map((subject) => `- ${truncate(subject, LIMITS.subject)}`).join("\n");
}

/** [V46] What is true where this cast works: inside the tree of an item it is not the person's tree. */
export function versionControlText({ data, item }: CastState): string {
  const found = isJsonObject(data["vcs"]) ? data["vcs"] : {};
  const { kind, root } = found;
  if (kind === "none") return "None. Leave the files uncommitted and create no repository.";
  if (item !== null)
    return (
      "git, in a working tree for this item alone, in which you are. Its HEAD is detached on purpose. Commit here, on this " +
      "HEAD, without a branch: the commits are moved to the branch of the cast later. Leave other folders alone."
    );
  if (typeof kind !== "string" || typeof root !== "string") return "Not looked up. Look for .jj and .git yourself.";
  return kind === "jj" ? `jj (use jj, not git), root ${root}` : `${kind}, root ${root}`;
}
