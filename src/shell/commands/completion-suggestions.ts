import { COMMON_OPTIONS } from "../../core/command/options.ts";
import { COMMANDS, commandRow, type CommandName } from "../../core/command/command-table.ts";
import { FLEET_ACTIONS, FLEET_LIMIT_KINDS, SCHEDULE_ACTIONS } from "../../core/command/read-fleet-commands.ts";
import { QUEUE_ACTIONS } from "../../core/command/read-queue.ts";
import { SHELLS } from "../../core/command/command.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { THINKING_LEVELS } from "../../core/model/materia.ts";
import { statusText } from "../../core/view/cast-list.ts";
import { visitLabel } from "../../core/view/graph/labels.ts";
import { agentVisits } from "../../core/history/facts.ts";
import { foldVisits, visitKey, visitNumber, type VisitRecord } from "../../core/history/visits.ts";
import { loadNamedCast, type Workspace } from "../workspace/workspace.ts";
import { listInbox } from "../workspace/inbox.ts";
import type { LoadedCast } from "../store/cast-store.ts";
import type { CastStatus } from "../../core/cast/summary.ts";

/** A suggestion for the word at the cursor; a trailing blank says that more words follow. */
export interface Suggestion {
  readonly word: string;
  readonly description?: string | undefined;
}

interface SuggestionSources {
  /** The project, opened only when a suggestion needs it; undefined if it cannot be opened. */
  readonly open: () => Workspace | undefined;
  readonly models?: () => readonly Suggestion[];
}

/** [X28, C34] All suggestions for the word at the cursor, before they are filtered by its prefix. */
export async function suggestCompletions(
  [head, ...words]: readonly string[],
  partial: string,
  { open, models = () => [] }: SuggestionSources,
): Promise<readonly Suggestion[]> {
  if (head === undefined)
    return COMMANDS.map(({ name, does, takes }) => ({ word: takes === 0 ? name : `${name} `, description: does }));
  const row = commandRow(head);
  // After `--` everything is prompt.
  if (!row || words.includes("--")) return [];
  if (partial.startsWith("--")) return [...row.options, ...COMMON_OPTIONS].map((name) => ({ word: `--${name} ` }));
  const option = words.at(-1) ?? "";
  if (option === "--model") return models();
  if (option === "--thinking") return THINKING_LEVELS.map((level) => ({ word: `${level} ` }));
  if (FILE_OPTIONS.has(option)) return [];
  const workspace = open();
  if (!workspace) return [];
  if (option === "--on")
    return Object.keys(workspace.catalog.fleet?.profiles ?? {}).map((word) => ({ word: `${quoteWord(word)} ` }));
  if (option === "--loadout") return suggestNames(workspace, "loadouts");
  if (option === "--from") return row.name === "init" ? [] : suggestCasts(workspace);
  const before = words.filter((word) => !word.startsWith("--"));
  if (row.name === "open") return suggestOpenArguments(workspace, before);
  return suggestWords(row.name, before, workspace);
}

/** Options whose value is a file or a folder: the shell completes those. */
const FILE_OPTIONS: ReadonlySet<string> = new Set([
  "--rehearse",
  "--config",
  "--cwd",
  "--artifacts",
  "--to",
  "--seed",
  "--junit",
  "--out",
]);

const SUBCOMMANDS: Readonly<Record<"casts" | "queue" | "inbox" | "completion", readonly Suggestion[]>> = {
  casts: [{ word: "prune ", description: "remove old casts" }],
  inbox: [{ word: "done ", description: "take a cast out of the inbox" }],
  queue: QUEUE_ACTIONS.map((word) => ({ word: `${word} ` })),
  completion: SHELLS.map((word) => ({ word, description: `for ${word}` })),
};

const CASTS_FOR: Readonly<Record<"continue" | "recast" | "abort", readonly CastStatus[]>> = {
  continue: ["waiting"],
  recast: ["failed", "aborted", "interrupted", "paused", "sleeping"],
  abort: ["running", "waiting", "interrupted", "paused", "sleeping"],
};

async function suggestWords(
  name: CommandName,
  words: readonly string[],
  workspace: Workspace,
): Promise<readonly Suggestion[]> {
  const count = words.length;
  switch (name) {
    case "link":
      return [...suggestTargets(workspace), ...(count > 0 ? [{ word: "-- ", description: "the prompt follows" }] : [])];
    case "grid":
      return [...suggestNames(workspace, "loadouts"), ...suggestNames(workspace, "materia")];
    case "fuzz":
    case "forecast":
    case "loadout":
    case "materia":
      return count === 0 ? suggestNames(workspace, name === "materia" ? "materia" : "loadouts") : [];
    case "help":
      return count === 0 ? COMMANDS.map((row) => ({ word: row.name, description: row.does })) : [];
    case "show":
    case "diff":
      return count === 0 ? suggestCasts(workspace) : count === 1 ? suggestVisits(workspace, words[0], ANY_VISIT) : [];
    case "compare":
      return count < 2 ? suggestCasts(workspace) : [];
    case "status":
    case "restore":
    case "export":
    case "watch":
    case "doctor":
    case "replay":
    case "record":
    case "fork":
    case "budget":
    case "take":
      return count === 0 ? suggestCasts(workspace) : [];
    case "continue":
    case "recast":
    case "abort":
      return count === 0 ? suggestCasts(workspace, CASTS_FOR[name]) : [];
    case "fleet":
      return suggestFleetWords(words).map((word) => ({ word: `${word} ` }));
    case "casts":
    case "queue":
    case "inbox":
    case "completion":
      return count === 0 ? SUBCOMMANDS[name] : name === "inbox" ? suggestInbox(workspace) : [];
    case "cast":
    case "draft":
    case "open":
    case "check":
    case "test":
    case "stats":
    case "ui":
    case "worker":
    case "mcp":
    case "init":
    case "demo":
      return [];
  }
}

function suggestFleetWords([action, verb, ...more]: readonly string[]): readonly string[] {
  if (action === undefined) return FLEET_ACTIONS;
  if (action === "schedule") return verb === undefined ? SCHEDULE_ACTIONS : [];
  if (action !== "limits" || more.length > 0) return [];
  return verb === undefined ? ["set", "unset"] : FLEET_LIMIT_KINDS;
}

/** Plain names first, if a name is unique; then all names with their kind. */
function suggestTargets({ catalog, ...rest }: Workspace): readonly Suggestion[] {
  const workspace = { catalog, ...rest };
  const both = (name: string): boolean => catalog.loadouts.has(name) && catalog.materia.has(name);
  const plain = [...suggestNames(workspace, "loadouts"), ...suggestNames(workspace, "materia")].filter(
    ({ word }) => !both(word.trim()),
  );
  return [
    ...plain,
    ...suggestNames(workspace, "loadouts", "loadout:"),
    ...suggestNames(workspace, "materia", "materia:"),
  ];
}

function suggestNames({ catalog }: Workspace, what: "loadouts" | "materia", prefix = ""): readonly Suggestion[] {
  const kind = what === "loadouts" ? "loadout" : "materia";
  return [...catalog[what].values()].map(({ name, value, layer }) => ({
    word: `${quoteWord(`${prefix}${name}`)} `,
    description: value?.description ?? `${kind}, ${layer}`,
  }));
}

/** Visits of the named cast, otherwise those of the newest cast and all casts. */
async function suggestOpenArguments(
  workspace: Workspace,
  [named, ...more]: readonly string[],
): Promise<readonly Suggestion[]> {
  if (more.length > 0) return [];
  const visits = await suggestVisits(workspace, named, {
    of: agentVisits,
    word: (visit) => String(visitNumber(visit)),
  });
  return named === undefined ? [...visits, ...(await suggestCasts(workspace))] : visits;
}

async function suggestInbox({ place }: Workspace): Promise<readonly Suggestion[]> {
  return (await listInbox(place.env)).map(({ castId, status, project }) => ({
    word: `${castId} `,
    description: `${statusText(status)}, ${project}`,
  }));
}

const MAX_VISITS = 12;

const ANY_VISIT: VisitSuggestions = {
  of: ({ events }) => foldVisits(events),
  word: ({ socket, visit }) => visitKey(socket, visit),
};

interface VisitSuggestions {
  readonly of: (cast: LoadedCast) => readonly VisitRecord[];
  readonly word: (visit: VisitRecord) => string;
}

/** The last visits: users look for them most. */
async function suggestVisits(
  { store }: Workspace,
  named: string | undefined,
  { of, word }: VisitSuggestions,
): Promise<readonly Suggestion[]> {
  const cast = await loadNamedCast(store, named);
  if (!cast.ok) return [];
  return of(cast.value)
    .slice(-MAX_VISITS)
    .toReversed()
    .map((visit) => ({
      word: word(visit),
      description: `${visitLabel(visit.socket, visit.materia)}, visit ${visit.visit}`,
    }));
}

const MAX_CASTS_READ = 60;

async function suggestCasts({ store }: Workspace, statuses?: readonly CastStatus[]): Promise<readonly Suggestion[]> {
  const ids = await store.listIds();
  const looked = await Promise.all((ids.ok ? ids.value : []).slice(0, MAX_CASTS_READ).map(store.summary));
  return looked
    .flatMap((cast) => cast ?? [])
    .filter(({ status }) => statuses?.includes(status) ?? true)
    .map(({ castId, status, request }) => ({ word: `${castId} `, description: `${statusText(status)}: ${request}` }));
}
