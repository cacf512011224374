import { splitRequests, type QueueCommand, type QueueRun } from "../../core/command/queue-command.ts";
import { error, fail, failWith, ok, suggest, typed, type Issue, type Result } from "../../core/model/issue.ts";
import { countedText, oneLine } from "../../core/model/text.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { statusText } from "../../core/view/cast-list.ts";
import type { QueueRow } from "../../core/wire/casts.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import {
  addToQueue,
  listQueue,
  removeFromQueue,
  reorderInQueue,
  type QueuedRequest,
  queueOwner,
} from "../store/files/queue.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import { errorText } from "../system/files.ts";
import { type Workspace, trustIssue } from "../workspace/workspace.ts";
import { answer, type CommandResult } from "./command-output.ts";
import { readCommandText, type TextSource } from "./command-text.ts";
import { optionWords, startInBackground, childOptions } from "./prepare-detached.ts";
import { sharedWatcher } from "../store/files/file-store.ts";
import { queueFolder } from "../store/layout.ts";
import type { CommandCaller } from "./prepare.ts";

type QueueEdit = Exclude<QueueCommand, { readonly action: "run" }>;

/** [YQ1] Lists and changes the queue. */
export async function runQueue(workspace: Workspace, command: QueueEdit, texts: TextSource): CommandResult {
  const root = queueRoot(workspace);
  try {
    if (command.action === "list") return await listRequests(workspace);
    if (command.action === "add") return await addRequests(workspace, command, texts);
    const entries = listQueue(root);
    const entry = findQueued(entries, command.at);
    if (!entry.ok) return entry;
    if (command.action === "remove") removeFromQueue(root, entry.value);
    else {
      const target = findQueued(entries, command.to);
      if (!target.ok) return target;
      moveInQueue(root, entries, { entry: entry.value, target: target.value });
    }
    return await listRequests(workspace);
  } catch (thrown) {
    return fail(queueWriteIssue(thrown));
  }
}

/** The queue lies on this machine, also when a fleet has its casts. */
export function queueRoot({ fleet, root }: Pick<Workspace, "fleet" | "root">): string {
  return fleet?.artifacts ?? root;
}

const EMPTY_QUEUE: Line = line(`The queue is empty. Add a request with "materia queue add <request>".`);

export function queueWriteIssue(thrown: unknown): Issue {
  return error("write_failed", "queue", `the queue cannot be written: ${errorText(thrown)}`);
}

export function queueRunningIssue({ pid, host }: ProcessIdentity): Issue {
  const message = `process ${pid} on ${host} runs this queue`;
  return error("queue_running", "queue", message, "requests that you add are cast by it");
}

function findQueued(entries: readonly QueuedRequest[], at: number | string): Result<QueuedRequest> {
  const entry = typeof at === "number" ? entries[at - 1] : entries.find(({ id }) => id === at);
  if (!entry) {
    const size = `the queue has ${countedText(entries.length, "request")}`;
    const message = typeof at === "number" ? size : "this request has left the queue";
    return failWith("bad_number", String(at), message, suggest`${typed`queue`} shows the numbers`);
  }
  const { castId } = entry;
  if (castId === undefined) return ok(entry);
  const hint = suggest`${typed`abort ${castId}`} stops its cast`;
  return failWith("request_begun", String(at), `this request was begun as ${castId}`, hint);
}

/** A number between those of its new neighbours: no other entry changes, unless there is none left between them. */
function moveInQueue(
  root: string,
  entries: readonly QueuedRequest[],
  { entry, target }: { readonly entry: QueuedRequest; readonly target: QueuedRequest },
): void {
  const others = entries.filter(({ id }) => id !== entry.id);
  const to = entries.indexOf(target);
  const [before, after] = [others[to - 1]?.order, others[to]?.order];
  const order = before === undefined ? (after ?? 1) - 1 : after === undefined ? before + 1 : (before + after) / 2;
  if (order !== before && order !== after) return reorderInQueue(root, entry, order);
  const sorted = [...others.slice(0, to), entry, ...others.slice(to)];
  for (const [index, each] of sorted.entries()) reorderInQueue(root, each, index);
}

/** [YQ2, YQ3] A text that was typed is one request; a file or standard input may have several. */
async function addRequests(
  workspace: Workspace,
  { text: words, literal, split, loadout, model, budget, key }: Extract<QueueEdit, { readonly action: "add" }>,
  texts: TextSource,
): CommandResult {
  const { catalog } = workspace;
  if (loadout !== undefined && !catalog.loadouts.has(loadout)) {
    const hint = suggest`${typed`loadout`} lists them`;
    return failWith("unknown_target", "--loadout", `there is no loadout "${oneLine(loadout, 80)}"`, hint);
  }
  const read = await readCommandText(words, literal ? undefined : texts);
  if (!read.ok) return read;
  const requests = read.value === words && !split ? [words.trim()] : splitRequests(read.value);
  if (requests.length === 0) return failWith("missing_prompt", words, "every entry of the list is done or empty");
  const entries = requests.map((request, index) => {
    // The key of a list belongs to each of its entries: a longer list adds what is new in it.
    const own = key === undefined || requests.length === 1 ? key : `${key}#${index + 1}`;
    return { request, ...withoutUndefined({ loadout, model, budget, key: own }) };
  });
  const own = createOwnCastRegistry(workspace.place.env);
  const added = addToQueue(queueRoot(workspace), entries, (entry) => own.record(ownRequest(entry), undefined));
  const already = requests.length - added;
  const alreadyThere = already === 0 ? "" : `, ${already} known by the key`;
  return answer({ added, already }, () => [
    line(`${countedText(added, "request")} added${alreadyThere}.`),
    line(toned("accent", "materia queue run"), toned("dim", "  cast them, each in a separate working tree")),
  ]);
}

/** [YQ11] What the mark of an own request vouches for; its place in the queue may change. */
function ownRequest({ id, request, loadout, model, budget, key }: QueuedRequest) {
  return { castId: `request-${id}`, request, loadout, model, budget, key };
}

/** [YQ11] A request that came with the project would be cast unasked, with tools. */
export function foreignRequestIssue({ place }: Workspace, entry: QueuedRequest): Issue | undefined {
  if (createOwnCastRegistry(place.env).owns(ownRequest(entry))) return undefined;
  const hint = suggest`look at it with ${typed`queue`}; then remove it, or repeat the command with --trust`;
  return error("foreign_request", entry.id, "this request was added elsewhere", hint);
}

async function listRequests(workspace: Workspace): CommandResult {
  const { store, fleet } = workspace;
  const rows: readonly QueueRow[] = await Promise.all(
    listQueue(queueRoot(workspace)).map(async ({ order: _order, ...entry }, index) => {
      const isHere = entry.fleet === fleet?.name;
      const cast = isHere && entry.castId && (await store.summary(entry.castId));
      return { n: index + 1, ...entry, ...(cast ? { status: cast.status } : {}) };
    }),
  );
  const rowLine = ({ n, request, loadout, castId, status, fleet: on }: QueueRow, width: number): Line => {
    const begun = on === undefined ? "begun" : `begun on ${on}`;
    const state = castId === undefined ? "" : `${status ? statusText(status) : begun} ${castId}  `;
    const other = loadout === undefined ? "" : `[${oneLine(loadout, 40)}] `;
    return line(
      toned("dim", `${String(n).padStart(3)}  `),
      toned("accent", state),
      toned("dim", other),
      oneLine(request, Math.max(20, width - 8 - state.length - other.length)),
    );
  };
  return answer(rows, (width) => (rows.length === 0 ? [EMPTY_QUEUE] : rows.map((row) => rowLine(row, width))));
}

/** [YQ8] Starts `queue run` as a background process. */
export async function startQueueRun(
  { until, costUsd: cost, atOnce }: QueueRun,
  { workspace, options, remember }: Pick<CommandCaller, "workspace" | "options" | "remember">,
): CommandResult {
  const root = queueRoot(workspace);
  const untrusted = trustIssue(workspace);
  if (untrusted) return fail(untrusted);
  const running = queueOwner(root);
  if (running) return fail(queueRunningIssue(running));
  const waiting = listQueue(root).length;
  if (waiting === 0) return answer({ waiting }, () => [EMPTY_QUEUE]);
  // The other process must find the trust that was given here.
  remember();
  const { trust, on = workspace.fleet?.name } = options;
  const words = optionWords({ ...childOptions(options), trust, until, cost, "at-once": atOnce, on });
  const started = await startInBackground({
    at: "queue",
    place: workspace.place,
    artifacts: root,
    words: ["queue", "run", ...words],
    owner: async () => queueOwner(root),
    onOwnerChange: (listener) => sharedWatcher.onChange(queueFolder(root), listener),
  });
  if (!started.ok) return started;
  const pid = started.value;
  return answer({ pid, waiting }, () => [
    line(`Process ${pid} casts ${countedText(waiting, "request")} in the background.`),
    line(toned("accent", "materia queue"), toned("dim", "  shows them")),
    line(toned("accent", `kill ${pid}`), toned("dim", "  pauses them for the next run")),
  ]);
}
