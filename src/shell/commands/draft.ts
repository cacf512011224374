import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import * as v from "valibot";
import type { DraftCommand } from "../../core/command/command.ts";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "../../core/cast/state/usage.ts";
import { checkDraft, draftFromConfig, readDraftReply, type DraftCheck, type Draft } from "../../core/draft/draft.ts";
import { loadoutToJson } from "../../core/edit/loadout-draft.ts";
import { printJson, LOADOUT_EXPANDED_LEVELS } from "../../core/edit/json-edit.ts";
import { nameIssues } from "../../core/catalog/validate.ts";
import { CastId, SocketId } from "../../core/model/ids.ts";
import { fail, failAll, failWith, ok, type Issue, type Result, error } from "../../core/model/issue.ts";
import { isJsonObject, withoutUndefined, type JsonObject } from "../../core/model/json.ts";
import { didYouMean, oneLine } from "../../core/model/text.ts";
import { gridLines } from "../../core/view/graph/terminal-grid.ts";
import { billLines, type Bill } from "../../core/view/graph/bill.ts";
import { issueLines } from "../../core/view/issues.ts";
import { line, plainText, type Line } from "../../core/view/line.ts";
import { parseJson, readConfigText, failAt, writeConfigText } from "../config/config-file.ts";
import type { AgentHost, TurnRequest } from "../ports.ts";
import { packagePath } from "../system/package.ts";
import { openAgentHost, type AgentSource, unknownPartsOf } from "../workspace/agent-hosts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { readCommandText, type TextSource } from "./command-text.ts";
import { activeBill } from "./forecast.ts";
import { withEntry } from "../../core/edit/config-text.ts";
import { projectConfigFile, userConfigFile, type ConfigContext } from "../config/config.ts";

export interface DraftRequest {
  readonly words: string;
  readonly from?: Draft | undefined;
  readonly agents: AgentSource;
  readonly signal: AbortSignal;
  readonly onRound?: (round: number, issues: readonly Issue[]) => void;
}

/** What a person typed, read before an agent is asked. */
export async function readDraftCommand(
  workspace: Workspace,
  { words, literal, from, save }: DraftCommand,
  texts: TextSource | undefined,
  folder: string,
): Promise<Result<Pick<DraftRequest, "words" | "from">>> {
  const said = await readCommandText(words, literal ? undefined : texts);
  if (!said.ok) return said;
  const source = from === undefined ? ok(undefined) : readDraftSource(workspace, from, resolve(folder, from));
  if (!source.ok) return source;
  const named = save === undefined ? ok(undefined) : checkDraftName(workspace, save, source.value?.name);
  return named.ok ? ok({ words: said.value, from: source.value }) : named;
}

/** [YD4] A sound draft, which nobody has saved or cast yet. */
export interface FinishedDraft extends Draft, Pick<DraftCheck, "graph"> {
  readonly workspace: Workspace;
  readonly bill: Bill;
  readonly rounds: readonly (readonly Issue[])[];
  readonly usage: Usage;
}

const MAX_WORDS = 20_000;
const MAX_ROUNDS = 4;

/** [YD4] Words → a sound draft: the agent proposes, the checks answer, at most four rounds. */
export async function makeDraft(workspace: Workspace, request: DraftRequest): Promise<Result<FinishedDraft>> {
  const { words } = request;
  if (words.trim() === "")
    return failWith("missing_prompt", "draft", "a draft needs a description", "say what should be done");
  const tooLong = `the description has ${words.length} characters; the limit is ${MAX_WORDS}`;
  if (words.length > MAX_WORDS) return failWith("bad_option", "draft", tooLong, "say it shorter");
  const host = await openAgentHost(workspace, request.agents);
  if (!host.ok) return host;
  const refused = await host.value.preflight([{ socket: SOCKET, materia: MATERIA, tools: [] }]);
  if (refused.length > 0) return failAll(refused);
  const folder = mkdtempSync(join(tmpdir(), "materia-draft-"));
  try {
    return await negotiate(workspace, request, host.value, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function negotiate(workspace: Workspace, request: DraftRequest, host: AgentHost, folder: string) {
  const rounds: (readonly Issue[])[] = [];
  let usage = NO_USAGE;
  let reply = "";
  while (rounds.length < MAX_ROUNDS) {
    const round = rounds.length + 1;
    const asked = { folder, round, prompt: draftPrompt(request, reply, rounds.at(-1)), usage, signal: request.signal };
    const turn = await host.runTurn(turnRequest(workspace, asked));
    usage = addUsage(usage, turn.usage);
    if (turn.kind === "failed") return failWith("draft_failed", "draft", `the drafting agent failed: ${turn.message}`);
    const read = readDraftReply(turn.text, request.from);
    if (!read.ok && read.issues.some(({ code }) => code === "cannot_draft")) return read;
    const checked = read.ok ? checkDraft(workspace.catalog, read.value, request.from?.name) : undefined;
    const drafted = { ...workspace, catalog: checked?.catalog ?? workspace.catalog };
    const found = read.ok ? (checked?.issues ?? []) : read.issues;
    const issues = checked && found.length === 0 ? await unknownPartsOf([checked.graph], drafted) : found;
    if (read.ok && checked && issues.length === 0) {
      const { model } = request.agents;
      const bill = await activeBill(drafted, withoutUndefined({ loadout: read.value.name, model }));
      if (!bill) throw new Error("a sound draft has a bill");
      return ok({ ...read.value, graph: checked.graph, workspace: drafted, bill, rounds, usage });
    }
    request.onRound?.(round, issues);
    rounds.push(issues);
    reply = turn.text;
  }
  const hint = "say it in other words, or name another model with --model";
  const left = error("draft_failed", "draft", `after ${MAX_ROUNDS} rounds the draft still has these problems`, hint);
  return failAll([left, ...(rounds.at(-1) ?? []).map((issue) => ({ ...issue, severity: "error" as const }))]);
}

const MATERIA = "Draft";
const SOCKET = v.parse(SocketId, "Socket-1");

function turnRequest(
  { catalog, place }: Workspace,
  asked: Pick<TurnRequest, "prompt" | "signal"> & { folder: string; round: number; usage: Usage },
): TurnRequest {
  const { folder, round, prompt, usage, signal } = asked;
  const { maxTokens = Infinity, maxCostUsd = Infinity } = catalog.settings.budget;
  return {
    castId: v.parse(CastId, "draft"),
    socket: SOCKET,
    materia: MATERIA,
    visit: round,
    item: null,
    cwd: place.cwd,
    system: draftSystemText(catalog),
    instructions: "none",
    prompt,
    tools: [],
    interactive: false,
    transcript: join(folder, `round-${round}.jsonl`),
    history: "fresh",
    redact: (text) => text,
    earlierTurns: () => [{ socket: SOCKET, materia: MATERIA, turns: round - 1, turnsFor: () => 0 }],
    env: {},
    isBudgetSpent: (spent) => {
      const all = addUsage(usage, spent);
      return totalTokens(all) > maxTokens || all.cost > maxCostUsd;
    },
    holdsClaim: () => Promise.resolve(true),
    isSuperseded: () => false,
    signal,
    onProgress: () => undefined,
  };
}

/** The skill, and the names that exist here. Prompts of existing materia stay out. */
function draftSystemText({ materia, loadouts }: Workspace["catalog"]): string {
  const skill = readFileSync(packagePath("skills", "materia-draft", "SKILL.md"), "utf8");
  const existing = [...materia.values()].flatMap(({ name, value }) =>
    value ? [`- ${oneLine(name, 60)} (${value.type}): ${oneLine(value.description ?? "", 160)}`] : [],
  );
  return [
    skill.replace(/^---\n[^]*?\n---\n/, "").trim(),
    "## Materia that exist here",
    existing.join("\n"),
    `Loadouts that exist here: ${[...loadouts.keys()].map((name) => oneLine(name, 60)).join(", ")}.`,
  ].join("\n\n");
}

function draftPrompt({ words, from }: DraftRequest, reply: string, issues: readonly Issue[] | undefined): string {
  const parts = [`The description:\n${words}`];
  if (from)
    parts.unshift(`Change this loadout, and keep everything that the words do not concern:\n${draftText(from)}`);
  if (issues)
    parts.push(
      `Your last answer:\n${reply.slice(0, 30_000)}`,
      `It was refused. Mend every problem and answer with the whole object:\n${plainText(issueLines(issues))}`,
    );
  return parts.join("\n\n");
}

function draftText({ config }: Draft): string {
  return printJson(config, "", 4);
}

/** [YD8] The loadout that `--from` names: a file with one loadout, or a loadout of this project. */
export function readDraftSource({ catalog }: Workspace, named: string, file: string): Result<Draft> {
  const existing = catalog.loadouts.get(named)?.value;
  if (existing) return ok({ name: named, config: { loadouts: { [named]: loadoutToJson(existing) } } });
  const read = readConfigText(file);
  const missing = `there is no loadout or file "${oneLine(named, 60)}"`;
  if (!read.ok && read.issues[0]?.code === "missing_file")
    return failWith("missing_file", "--from", missing, didYouMean(named, catalog.loadouts.keys()));
  const value = read.ok ? parseJson(file, read.value.text) : read;
  if (!value.ok) return value;
  const object = isJsonObject(value.value) ? value.value : {};
  if ("sockets" in object) return draftFromConfig({ loadouts: { [basename(file, extname(file))]: object } });
  const { materia = {}, loadouts = {} } = object;
  return draftFromConfig({ materia, loadouts });
}

/** [YD4] The drawing, the bill and the JSON, made here and not by the model. */
export function draftLines(draft: FinishedDraft, width: number): readonly Line[] {
  const grid = gridLines(draft.graph, { width: Math.min(width, 120) });
  const texts = draftText(draft).split("\n");
  return [...grid, line(""), ...billLines(draft.bill), line(""), ...texts.map((text) => line(text))];
}

export function draftData(draft: FinishedDraft): JsonObject {
  const { name, config, bill, rounds, usage } = draft;
  return { name, config, bill: { ...bill } as unknown as JsonObject, rounds: rounds.length + 1, usage: { ...usage } };
}

/** [YD9] Names that exist are refused before an agent is asked. */
export function checkDraftName({ catalog }: Workspace, name: string, refines: string | undefined): Result<undefined> {
  const [bad] = nameIssues(name, ["--save"]);
  if (bad) return fail(bad);
  if (!catalog.loadouts.has(name) || name === refines) return ok(undefined);
  return failWith("bad_name", "--save", `a loadout "${name}" exists`, "choose another name");
}

/** [YD9] Writes the loadout and its new materia into the file as it is now; comments and order stay. */
export function saveDraft(place: ConfigContext, draft: Draft, name: string): Result<string> {
  const { explicitFile, withoutProject, env, cwd } = place;
  // That of the user where the project is not trusted.
  const file = explicitFile ?? (withoutProject ? userConfigFile(env) : projectConfigFile(cwd));
  const read = readConfigText(file);
  if (!read.ok && read.issues[0]?.code !== "missing_file") return read;
  const before = read.ok ? read.value.text : "";
  const present = before.trim() === "" ? ok({}) : parseJson(file, before);
  if (!present.ok) return present;
  const materia = Object.entries(section(draft.config, "materia"));
  const [loadout] = Object.values(section(draft.config, "loadouts"));
  const taken = materia.map(([key]) => key).find((key) => key in section(present.value, "materia"));
  // The file may have changed since the draft was checked.
  if (taken !== undefined) {
    const message = "the file has a materia of this name now";
    return failAt(file, error("file_changed", ["materia", taken], message, "draft it again"));
  }
  if (loadout === undefined) return failWith("bad_draft", "loadouts", "the draft has no loadout");
  let text: Result<string> = ok(before);
  for (const [key, value] of materia)
    text = text.ok ? withEntry(text.value, "materia", key, printJson(value, "", 1)) : text;
  text = text.ok ? withEntry(text.value, "loadouts", name, printJson(loadout, "", LOADOUT_EXPANDED_LEVELS)) : text;
  if (!text.ok) return text;
  const root = file === projectConfigFile(place.cwd) ? place.cwd : undefined;
  const written = writeConfigText(file, text.value, { root, isNew: !read.ok });
  return written.ok ? ok(file) : written;
}

function section(value: unknown, key: "materia" | "loadouts"): JsonObject {
  const own = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(own) ? own : {};
}
