import { COMMON_OPTIONS } from "../../../core/command/options.ts";
import { COMMANDS, commandRow, type CommandName } from "../../../core/command/table.ts";
import { FLEET_ACTIONS, LIMIT_KINDS, SCHEDULE_ACTIONS, SHELLS } from "../../../core/command/command.ts";
import { quoteWord } from "../../../core/command/words.ts";
import { THINKING_LEVELS } from "../../../core/model/materia.ts";
import { statusText, type CastStatus } from "../../../core/view/casts.ts";
import { visitText } from "../../../core/view/graph/words.ts";
import { agentVisits, castVisits, type NamedVisit } from "../../../core/view/watch/visit-named.ts";
import { castNamed } from "../../casting/workspace/named-cast.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import type { LoadedCast } from "../../store/cast-store.ts";

/** A word that could stand where the cursor is; a blank behind it says that more follows. */
export interface Offer {
  readonly word: string;
  readonly description?: string | undefined;
}

/** What is offered besides what the project knows. */
interface OfferSources {
  /** The project, opened only when something of it is offered; nothing where it cannot be. */
  readonly open: () => Workspace | undefined;
  readonly models?: () => readonly Offer[];
}

/** [X28, C34] What the word behind these words could become, before it is held against what was typed of it. */
export async function offersFor(
  [head, ...words]: readonly string[],
  partial: string,
  { open, models = () => [] }: OfferSources,
): Promise<readonly Offer[]> {
  if (head === undefined)
    return COMMANDS.map(({ name, does, takes }) => ({ word: takes === 0 ? name : `${name} `, description: does }));
  const row = commandRow(head);
  // Behind a `--` everything is prompt.
  if (!row || words.includes("--")) return [];
  if (partial.startsWith("--")) return [...row.options, ...COMMON_OPTIONS].map((name) => ({ word: `--${name} ` }));
  const option = words.at(-1) ?? "";
  if (option === "--model") return models();
  if (option === "--thinking") return THINKING_LEVELS.map((level) => ({ word: `${level} ` }));
  if (FILES.has(option)) return [];
  const workspace = open();
  if (!workspace) return [];
  if (option === "--on")
    return Object.keys(workspace.catalog.fleet?.profiles ?? {}).map((word) => ({ word: `${quoteWord(word)} ` }));
  if (option === "--loadout") return loadouts(workspace, "");
  if (option === "--from") return row.name === "init" ? [] : casts(workspace);
  const before = words.filter((word) => !word.startsWith("--"));
  if (row.name === "open") return openOffers(workspace, before);
  return wordOffers(row.name, before, workspace);
}

/** Options whose value is a file or a folder, which whoever completes knows better. */
const FILES: ReadonlySet<string> = new Set([
  "--rehearse",
  "--config",
  "--cwd",
  "--artifacts",
  "--to",
  "--seed",
  "--junit",
  "--out",
]);

async function wordOffers(
  name: CommandName,
  words: readonly string[],
  workspace: Workspace,
): Promise<readonly Offer[]> {
  const count = words.length;
  switch (name) {
    case "link":
      return [...targets(workspace), ...(count > 0 ? [{ word: "-- ", description: "the prompt follows" }] : [])];
    case "grid":
      return [...loadouts(workspace, ""), ...materia(workspace, "")];
    case "fuzz":
    case "forecast":
    case "loadout":
      return count === 0 ? loadouts(workspace, "") : [];
    case "materia":
      return count === 0 ? materia(workspace, "") : [];
    case "help":
      return count === 0 ? COMMANDS.map((row) => ({ word: row.name, description: row.does })) : [];
    case "casts":
      return count === 0 ? [{ word: "prune ", description: "remove old casts" }] : [];
    case "show":
    case "diff":
      return count === 0 ? casts(workspace) : count === 1 ? visitOffers(workspace, words[0], EVERY) : [];
    case "compare":
      return count < 2 ? casts(workspace) : [];
    case "status":
    case "restore":
    case "watch":
    case "doctor":
    case "replay":
    case "record":
    case "fork":
    case "budget":
    case "take":
      return count === 0 ? casts(workspace) : [];
    case "continue":
      return count === 0 ? casts(workspace, ["waiting"]) : [];
    case "recast":
      return count === 0 ? casts(workspace, ["failed", "aborted", "interrupted"]) : [];
    case "abort":
      return count === 0 ? casts(workspace, ["running", "waiting", "interrupted"]) : [];
    case "fleet":
      return fleetWords(words).map((word) => ({ word: `${word} ` }));
    case "completion":
      return count === 0 ? SHELLS.map((word) => ({ word, description: `for ${word}` })) : [];
    case "cast":
    case "open":
    case "check":
    case "test":
    case "stats":
    case "ui":
    case "worker":
    case "init":
    case "demo":
      return [];
  }
}

function fleetWords([action, verb, ...more]: readonly string[]): readonly string[] {
  if (action === undefined) return FLEET_ACTIONS;
  if (action === "schedule") return verb === undefined ? SCHEDULE_ACTIONS : [];
  if (action !== "limits" || more.length > 0) return [];
  return verb === undefined ? ["set", "unset"] : LIMIT_KINDS;
}

/** Plain names first, where one name means one thing; then all of them with their kind. */
function targets({ catalog, ...rest }: Workspace): readonly Offer[] {
  const workspace = { catalog, ...rest };
  const both = (name: string): boolean => catalog.loadouts.has(name) && catalog.materia.has(name);
  const plain = [...loadouts(workspace, ""), ...materia(workspace, "")].filter(({ word }) => !both(word.trim()));
  return [...plain, ...loadouts(workspace, "loadout:"), ...materia(workspace, "materia:")];
}

function loadouts({ catalog }: Workspace, kind: "" | "loadout:"): readonly Offer[] {
  return [...catalog.loadouts.values()].map(({ name, value, layer }) => ({
    word: `${quoteWord(`${kind}${name}`)} `,
    description: value?.description ?? `loadout, ${layer}`,
  }));
}

function materia({ catalog }: Workspace, kind: "" | "materia:"): readonly Offer[] {
  return [...catalog.materia.values()].map(({ name, value, layer }) => ({
    word: `${quoteWord(`${kind}${name}`)} `,
    description: value?.description ?? `materia, ${layer}`,
  }));
}

/** Visits of the cast that was named, else those of the newest and all casts. */
async function openOffers(workspace: Workspace, [named, ...more]: readonly string[]): Promise<readonly Offer[]> {
  if (more.length > 0) return [];
  const visits = await visitOffers(workspace, named, {
    of: agentVisits,
    word: ({ number }) => String(number),
  });
  return named === undefined ? [...visits, ...(await casts(workspace))] : visits;
}

const VISITS_OFFERED = 12;

const EVERY: Offered = { of: castVisits, word: ({ socket, visit }) => `${socket}#${visit}` };

interface Offered {
  readonly of: (cast: LoadedCast) => readonly NamedVisit[];
  readonly word: (visit: NamedVisit) => string;
}

/** The last ones, which are looked for most. */
async function visitOffers(
  { store }: Workspace,
  named: string | undefined,
  { of, word }: Offered,
): Promise<readonly Offer[]> {
  const id = await castNamed(store, named);
  const cast = id.ok ? await store.load(id.value) : id;
  if (!cast.ok) return [];
  return of(cast.value)
    .slice(-VISITS_OFFERED)
    .toReversed()
    .map((visit) => ({
      word: word(visit),
      description: `${visitText(visit.socket, visit.materia)}, visit ${visit.visit}`,
    }));
}

const LOOKED_AT = 60;

async function casts({ store }: Workspace, statuses?: readonly CastStatus[]): Promise<readonly Offer[]> {
  const ids = await store.ids();
  const looked = await Promise.all((ids.ok ? ids.value : []).slice(0, LOOKED_AT).map(store.summary));
  return looked
    .flatMap((cast) => cast ?? [])
    .filter(({ status }) => statuses?.includes(status) ?? true)
    .map(({ castId, status, request }) => ({ word: `${castId} `, description: `${statusText(status)}: ${request}` }));
}
