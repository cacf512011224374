import { splitRequests, type QueueCommand } from "../../core/command/queue-command.ts";
import { error, fail, failWith, ok, suggest, typed, type Issue, type Result } from "../../core/model/issue.ts";
import { countedText, oneLine } from "../../core/model/text.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { statusText } from "../../core/view/cast-list.ts";
import type { QueueRow } from "../../core/wire/casts.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { addToQueue, listQueue, removeFromQueue, reorderInQueue, type QueuedRequest } from "../store/files/queue.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import { errorText } from "../system/files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CommandOutput, CommandResult } from "./command-output.ts";
import { readCommandText, type TextSource } from "./command-text.ts";

type QueueEdit = Exclude<QueueCommand, { readonly action: "run" }>;

/** [YQ1] Lists and changes the queue. */
export async function runQueue(workspace: Workspace, command: QueueEdit, texts: TextSource): CommandResult {
  const root = queueRoot(workspace);
  try {
    if (command.action === "list") return ok(await queueOutput(workspace));
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
    return ok(await queueOutput(workspace));
  } catch (thrown) {
    return fail(queueWriteIssue(thrown));
  }
}

/** The queue lies on this machine, also when a fleet has its casts. */
export function queueRoot({ fleet, root }: Pick<Workspace, "fleet" | "root">): string {
  return fleet?.artifacts ?? root;
}

export const EMPTY_QUEUE: Line = line(`The queue is empty. Add a request with "materia queue add <request>".`);

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
    const hint = suggest`${typed`queue`} shows the numbers`;
    return failWith(
      "bad_number",
      String(at),
      typeof at === "number"
        ? `the queue has ${countedText(entries.length, "request")}`
        : "this request has left the queue",
      hint,
    );
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
  const added = addToQueue(queueRoot(workspace), entries);
  const already = requests.length - added;
  const known = already === 0 ? "" : `, ${already} known by the key`;
  return ok({
    code: 0,
    data: { added, already },
    lines: () => [
      line(`${countedText(added, "request")} added${known}.`),
      line(toned("accent", "materia queue run"), toned("dim", "  cast them, each in a separate working tree")),
    ],
  });
}

async function queueOutput(workspace: Workspace): Promise<CommandOutput> {
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
  return {
    code: 0,
    data: rows,
    lines: (width) => (rows.length === 0 ? [EMPTY_QUEUE] : rows.map((row) => rowLine(row, width))),
  };
}
