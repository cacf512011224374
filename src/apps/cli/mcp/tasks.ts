import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  inputRequired,
} from "@modelcontextprotocol/server";
import * as v from "valibot";
import type { CastStatus } from "../../../core/cast/summary.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { isJsonObject } from "../../../core/model/json.ts";
import { findCast, type Workspace } from "../../../shell/workspace/workspace.ts";
import { outputResult } from "./cast-results.ts";
import { runImmediate, startDetached, type McpProject } from "./tools.ts";
import { askedPersonMateria } from "../../../core/cast/prompt-text.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import type { CastStore } from "../../../shell/store/cast-store.ts";

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";
const POLL_MS = 2_000;

/** [MC7] A cast as a task, for a client that declares tasks with its request; undefined for others. */
export async function taskHandle({ store }: Workspace, castId: CastId, { mcpReq }: ServerContext) {
  if (!declaresTasks(mcpReq.envelope)) return undefined;
  return { resultType: "task", ...(await taskState(store, castId)), content: [] };
}

function declaresTasks(envelope: unknown): boolean {
  const capabilities = isJsonObject(envelope) && envelope["io.modelcontextprotocol/clientCapabilities"];
  const extensions = isJsonObject(capabilities) && capabilities["extensions"];
  return isJsonObject(extensions) && Object.hasOwn(extensions, TASKS_EXTENSION);
}

/** Every other cast is a completed task, with an error if it failed: `failed` is for the protocol only. */
const TASK_STATUS: Partial<Record<CastStatus, string>> = {
  running: "working",
  sleeping: "working",
  queued: "working",
  waiting: "input_required",
  aborted: "cancelled",
};

export async function taskState(store: Pick<CastStore, "summary" | "owner">, castId: CastId) {
  const summary = await store.summary(castId);
  if (!summary) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no task ${castId}`);
  const { startedAt, endedAt, status } = summary;
  // After an end its process has the working tree for a moment, and after an answer until the answer is written.
  const isOwned = (await store.owner(castId)) !== undefined;
  return {
    taskId: castId,
    status: isOwned ? "working" : (TASK_STATUS[status] ?? "completed"),
    statusMessage: status,
    createdAt: startedAt,
    lastUpdatedAt: endedAt ?? new Date().toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

const TaskParams = v.looseObject({ taskId: v.string() });

/** [MC7] The id of a task is that of its cast, so that it outlives the server. */
export function registerTasks(server: Server, project: McpProject): void {
  server.setRequestHandler("tasks/get", { params: TaskParams }, async ({ taskId }) => {
    const { workspace, castId } = await findTask(project, taskId);
    const task = await taskState(workspace.store, castId);
    return { resultType: "complete", ...task, ...(await taskDetails(workspace, castId, task.status)) };
  });
  server.setRequestHandler("tasks/update", { params: TaskParams }, async ({ taskId }, { mcpReq }) => {
    const { workspace, castId } = await findTask(project, taskId);
    const question = await readQuestion(workspace.store, castId);
    const answer = question.ok ? readAnswer(question.value, mcpReq.inputResponses?.[question.value.key]) : undefined;
    if (answer && answer !== "declined")
      await startDetached({ kind: "continue", castId, ...answer, literal: true }, workspace, project.limits.options);
    return { resultType: "complete" };
  });
  server.setRequestHandler("tasks/cancel", { params: TaskParams }, async ({ taskId }) => {
    const { workspace, castId } = await findTask(project, taskId);
    await runImmediate({ kind: "abort", castId }, workspace);
    return { resultType: "complete" };
  });
}

async function findTask({ open }: McpProject, taskId: string) {
  const workspace = open();
  const found = workspace.ok ? await findCast(workspace.value.store, taskId) : workspace;
  // A task is named by its whole id: "last" would be another one tomorrow.
  if (!workspace.ok || !found.ok || found.value !== taskId)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no task ${taskId}`);
  return { workspace: workspace.value, castId: found.value };
}

/** The result of an ended cast, or the question of a waiting one. */
async function taskDetails(workspace: Workspace, castId: CastId, status: string): Promise<object> {
  if (status === "input_required") {
    const question = await readQuestion(workspace.store, castId);
    return question.ok ? { inputRequests: { [question.value.key]: questionRequest(question.value) } } : {};
  }
  if (status !== "completed") return {};
  return { result: outputResult(await runImmediate({ kind: "status", castId }, workspace)) };
}

interface CastQuestion {
  /** Names the visit, so that an answer to an earlier question is not taken for this one. */
  readonly key: string;
  readonly text: string;
  /** Whether yes or no is asked; otherwise an agent waits for a message. */
  readonly isGate: boolean;
}

export async function readQuestion(store: CastStore, castId: CastId): Promise<Result<CastQuestion>> {
  const cast = await store.current(castId);
  if (!cast.ok) return cast;
  const { state } = cast.value;
  if (state.phase.kind !== "waiting" || (await store.owner(castId)) !== undefined)
    return fail(error("not_waiting_for_person", castId, "the cast does not wait for a person"));
  const { visit, reply } = state.phase;
  return ok({ key: `${visit.socket}#${visit.number}`, text: reply, isGate: askedPersonMateria(state) !== undefined });
}

const MAX_QUESTION_CHARS = 4_000;

export function questionRequest({ text, isGate }: CastQuestion) {
  const message = text.slice(0, MAX_QUESTION_CHARS);
  const requestedSchema = isGate
    ? {
        type: "object" as const,
        properties: {
          approve: { type: "boolean" as const, title: "Yes" },
          message: { type: "string" as const, title: "Reason or message" },
        },
        required: ["approve"],
      }
    : {
        type: "object" as const,
        properties: { message: { type: "string" as const, title: "Answer; leave it empty to take this result" } },
      };
  return inputRequired.elicit({ message, requestedSchema });
}

const AcceptedAnswer = v.object({
  action: v.literal("accept"),
  content: v.object({ approve: v.optional(v.boolean()), message: v.optional(v.string(), "") }),
});
const DeclinedAnswer = v.object({ action: v.picklist(["decline", "cancel"]) });

export function readAnswer({ isGate }: CastQuestion, response: unknown) {
  if (v.is(DeclinedAnswer, response)) return "declined";
  const read = v.safeParse(AcceptedAnswer, response);
  if (!read.success || (isGate && read.output.content.approve === undefined)) return undefined;
  const { approve, message } = read.output.content;
  return { text: message.trim(), reject: isGate && approve === false };
}
