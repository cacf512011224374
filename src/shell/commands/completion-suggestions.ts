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
  if (FILE_OPTIONS.test(option)) return [];
  const workspace = open();
  if (!workspace) return [];
  if (option === "--on")
    return Object.keys(workspace.catalog.fleet?.profiles ?? {}).map((word) => ({ word: `${quoteWord(word)} ` }));
  if (option === "--loadout") return suggestNames(workspace, "loadouts");
  if (option === "--from") return row.name === "init" ? [] : suggestCasts(workspace);
  const before = words.filter((word) => !word.startsWith("--"));
  return SOURCES[row.name]?.(workspace, before) ?? [];
}

/** Options whose value is a file or a folder: the shell completes those. */
const FILE_OPTIONS = /^--(rehearse|config|cwd|artifacts|to|seed|junit|out)$/;

type WordSource = (
  workspace: Workspace,
  words: readonly string[],
) => readonly Suggestion[] | Promise<readonly Suggestion[]>;

/** Suggestions for each word in its place; none behind the last one. */
function positional(...sources: readonly WordSource[]): WordSource {
  return (workspace, words) => sources[words.length]?.(workspace, words) ?? [];
}

const anyCast: WordSource = (workspace) => suggestCasts(workspace);
const castsWithStatus =
  (...statuses: readonly CastStatus[]): WordSource =>
  (workspace) =>
    suggestCasts(workspace, statuses);
const oneCast = positional(anyCast);
const oneLoadout = positional((workspace) => suggestNames(workspace, "loadouts"));
const castAndVisit = positional(anyCast, (workspace, [named]) => suggestVisits(workspace, named, ANY_VISIT));

const SOURCES: { readonly [K in CommandName]?: WordSource } = {
  link: (workspace, { length }) => [
    ...suggestTargets(workspace),
    ...(length > 0 ? [{ word: "-- ", description: "the prompt follows" }] : []),
  ],
  grid: (workspace) => [...suggestNames(workspace, "loadouts"), ...suggestNames(workspace, "materia")],
  fuzz: oneLoadout,
  forecast: oneLoadout,
  loadout: oneLoadout,
  materia: positional((workspace) => suggestNames(workspace, "materia")),
  help: positional(() => COMMANDS.map(({ name, does }) => ({ word: name, description: does }))),
  open: suggestOpenArguments,
  show: castAndVisit,
  diff: castAndVisit,
  compare: positional(anyCast, anyCast),
  status: oneCast,
  restore: oneCast,
  export: oneCast,
  watch: oneCast,
  doctor: oneCast,
  replay: oneCast,
  record: oneCast,
  fork: oneCast,
  budget: oneCast,
  take: oneCast,
  continue: positional(castsWithStatus("waiting")),
  recast: positional(castsWithStatus("failed", "aborted", "interrupted", "paused", "sleeping")),
  abort: positional(castsWithStatus("running", "waiting", "interrupted", "paused", "sleeping")),
  fleet: (_workspace, words) => suggestFleetWords(words).map((word) => ({ word: `${word} ` })),
  casts: positional(() => [{ word: "prune ", description: "remove old casts" }]),
  queue: positional(() => QUEUE_ACTIONS.map((word) => ({ word: `${word} ` }))),
  inbox: (workspace, { length }) =>
    length === 0 ? [{ word: "done ", description: "take a cast out of the inbox" }] : suggestInbox(workspace),
  completion: positional(() => SHELLS.map((word) => ({ word, description: `for ${word}` }))),
};

function suggestFleetWords([action, verb, ...more]: readonly string[]): readonly string[] {
  if (action === undefined) return FLEET_ACTIONS;
  if (action === "schedule") return verb === undefined ? SCHEDULE_ACTIONS : [];
  if (action !== "limits" || more.length > 0) return [];
  return verb === undefined ? ["set", "unset"] : FLEET_LIMIT_KINDS;
}

/** Plain names first, if a name is unique; then all names with their kind. */
function suggestTargets(workspace: Workspace): readonly Suggestion[] {
  const { loadouts, materia } = workspace.catalog;
  const both = (name: string): boolean => loadouts.has(name) && materia.has(name);
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
