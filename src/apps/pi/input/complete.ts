import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { COMMON_OPTIONS } from "../../../core/command/options.ts";
import { COMMANDS, commandRow } from "../../../core/command/table.ts";
import type { CommandName } from "../../../core/command/table.ts";
import { quoteWord } from "../../../core/command/words.ts";
import { oneLine } from "../../../core/model/values/text.ts";
import { statusText } from "../../../core/view/casts.ts";
import type { CastStatus } from "../../../core/view/casts.ts";
import type { Workspace } from "../../../shell/casting/workspace/workspace.ts";
import { unlessReplacedAsync } from "../session/user-session.ts";
import { openPlace } from "../session/place.ts";

interface Item {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** A word that could stand where the cursor is. */
interface Offer {
  readonly word: string;
  readonly description?: string | undefined;
}

const SHOWN = 40;

/** [X28] What the word at the cursor could become. Pi puts the chosen value in the place of all that was typed. */
export async function complete(typed: string, ctx: ExtensionContext | undefined): Promise<Item[] | null> {
  const start = typed.search(/\S*$/);
  const [before, partial] = [typed.slice(0, start), typed.slice(start)];
  const offers = (await unlessReplacedAsync(() => offersFor(before, partial, ctx))) ?? [];
  // With a list open Enter takes from it, so that a finished word would need two of them.
  if (offers.some(({ word }) => word.trim() === partial)) return null;
  const items = offers
    .filter(({ word }) => word.toLowerCase().startsWith(partial.toLowerCase()))
    .slice(0, SHOWN)
    .map(({ word, description }) => ({
      value: `${before}${word}`,
      label: word.trim(),
      ...(description === undefined ? {} : { description: oneLine(description, 100) }),
    }));
  return items.length > 0 ? items : null;
}

async function offersFor(
  before: string,
  partial: string,
  ctx: ExtensionContext | undefined,
): Promise<readonly Offer[]> {
  const [head, ...words] = before.split(/\s+/).filter((word) => word !== "");
  if (head === undefined)
    return COMMANDS.map(({ name, does, takes }) => ({ word: takes === 0 ? name : `${name} `, description: does }));
  const row = commandRow(head);
  // Behind a `--` everything is prompt.
  if (!row || !ctx || words.includes("--")) return [];
  if (partial.startsWith("--")) return [...row.options, ...COMMON_OPTIONS].map((name) => ({ word: `--${name} ` }));
  const place = openPlace(ctx, {});
  if (!place.ok) return [];
  const { workspace } = place.value;
  const value = await valueOffers(words.at(-1), ctx, workspace);
  if (value) return value;
  return wordOffers(row.name, words.filter((word) => !word.startsWith("--")).length, workspace);
}

/** What an option takes, where the word before the cursor is one. */
async function valueOffers(
  option: string | undefined,
  ctx: ExtensionContext,
  workspace: Workspace,
): Promise<readonly Offer[] | undefined> {
  if (option === "--loadout") return loadouts(workspace, "");
  if (option === "--from") return casts(workspace);
  if (option === "--model")
    return ctx.modelRegistry
      .getAvailable()
      .map(({ provider, id, name }) => ({ word: `${provider}/${id} `, description: name }));
  return FILES.has(option ?? "") ? [] : undefined;
}

const FILES: ReadonlySet<string> = new Set(["--rehearse", "--config", "--cwd", "--artifacts", "--to"]);

async function wordOffers(name: CommandName, count: number, workspace: Workspace): Promise<readonly Offer[]> {
  switch (name) {
    case "link":
      return [...targets(workspace), ...(count > 0 ? [{ word: "-- ", description: "the prompt follows" }] : [])];
    case "grid":
      return [...loadouts(workspace, ""), ...materia(workspace, "")];
    case "fuzz":
    case "loadout":
      return count === 0 ? loadouts(workspace, "") : [];
    case "materia":
      return count === 0 ? materia(workspace, "") : [];
    case "help":
      return count === 0 ? COMMANDS.map((row) => ({ word: row.name, description: row.does })) : [];
    case "casts":
      return count === 0 ? [{ word: "prune ", description: "remove old casts" }] : [];
    case "status":
    case "show":
    case "diff":
    case "restore":
    case "watch":
    case "doctor":
    case "replay":
    case "record":
    case "fork":
    case "budget":
      return count === 0 ? casts(workspace) : [];
    case "continue":
      return count === 0 ? casts(workspace, ["waiting"]) : [];
    case "recast":
      return count === 0 ? casts(workspace, ["failed", "aborted", "interrupted"]) : [];
    case "abort":
      return count === 0 ? casts(workspace, ["running", "waiting", "interrupted"]) : [];
    case "cast":
    case "check":
    case "test":
    case "ui":
    case "init":
    case "demo":
      return [];
  }
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

const LOOKED_AT = 60;

async function casts({ store }: Workspace, statuses?: readonly CastStatus[]): Promise<readonly Offer[]> {
  const ids = await store.ids();
  const looked = await Promise.all((ids.ok ? ids.value : []).slice(0, LOOKED_AT).map(store.summary));
  return looked
    .flatMap((cast) => cast ?? [])
    .filter(({ status }) => statuses?.includes(status) ?? true)
    .map(({ castId, status, request }) => ({ word: `${castId} `, description: `${statusText(status)}: ${request}` }));
}
