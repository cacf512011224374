import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterFile } from "./after-file.ts";
import { EXTENSION, PI, type PiPlace } from "./pi-place.ts";

export interface UiRequest {
  readonly type: "extension_ui_request";
  readonly id: string;
  readonly method: string;
  readonly title?: string;
  readonly message?: string;
  readonly notifyType?: string;
  readonly statusText?: string;
  readonly widgetLines?: readonly string[];
}

interface Response {
  readonly type: "response";
  readonly id?: string;
  readonly success: boolean;
  readonly error?: string;
  readonly data?: unknown;
}

interface PiMessage {
  readonly role: string;
  readonly customType?: string;
  readonly content: unknown;
  readonly details?: unknown;
}

interface MessageRecord {
  readonly type: "message_end";
  readonly message: PiMessage;
}

interface EntryRecord {
  readonly type: "entry_appended";
  readonly entry: { readonly type: string; readonly customType?: string; readonly data?: unknown };
}

interface OtherRecord {
  readonly type: "agent_start" | "agent_settled" | "extension_error" | "message_update";
  readonly error?: string;
}

export type PiRecord = UiRequest | Response | MessageRecord | EntryRecord | OtherRecord;

export interface PiRpc {
  readonly pid: number;
  /** All that Pi has written, in order. */
  readonly records: readonly PiRecord[];
  readonly stderr: () => string;
  /** Sends a command and gives its answer; a refusal of Pi throws. */
  readonly ask: (command: Readonly<Record<string, unknown>> & { readonly type: string }) => Promise<unknown>;
  /** Types a message or a command, as a person would. */
  readonly type: (message: string) => Promise<unknown>;
  /** The first record since the mark that this finds something in. */
  readonly until: <T>(what: string, find: (record: PiRecord) => T | undefined) => Promise<T>;
  /** What comes from here on is new to `until`. */
  readonly mark: () => void;
  readonly close: () => Promise<number | null>;
  readonly kill: () => Promise<void>;
}

export interface RpcOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The place has the extension installed, so it is not named. */
  readonly installed?: boolean;
  /** Answers a dialog; it is cancelled where there is none. */
  readonly onDialog?: (request: UiRequest) => Readonly<Record<string, unknown>>;
}

/** Only so that a test that hangs says where: a busy machine may need minutes to start Pi. */
const PATIENCE_MS = 120_000;
const running = new Set<PiRpc>();

/** The real `pi --mode rpc` with the extension, in a separate folder. */
export function startPi(place: PiPlace, options: RpcOptions = {}): PiRpc {
  const { args = [], env = {}, onDialog = cancel } = options;
  const extension = options.installed ? [] : ["-e", EXTENSION];
  const child = spawn(process.execPath, [PI, "--mode", "rpc", ...extension, ...args], {
    cwd: place.cwd,
    env: { ...place.env, ...env },
  });
  const records: PiRecord[] = [];
  const looking = new Set<() => void>();
  let asked = 0;
  let from = 0;
  let stderr = "";
  const look = (): void => {
    for (const each of looking) each();
  };
  const send = (record: object): void => void child.stdin.write(`${JSON.stringify(record)}\n`);
  const take = (record: PiRecord): void => {
    records.push(record);
    if (record.type === "extension_ui_request" && DIALOGS.has(record.method))
      send({ type: "extension_ui_response", id: record.id, ...onDialog(record) });
    look();
  };
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.setEncoding("utf8").on("data", recordReader(take));
  child.stdin.on("error", () => undefined);
  const exited = once(child, "close").then(([code]: (number | null)[]) => {
    running.delete(pi);
    look();
    return code ?? null;
  });

  const find = <T>(what: string, start: number, pick: (record: PiRecord) => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      let at = start;
      const done = (): void => {
        clearTimeout(patience);
        looking.delete(search);
      };
      const search = (): void => {
        for (; at < records.length; at += 1) {
          const record = records[at];
          const found = record && pick(record);
          if (found === undefined) continue;
          done();
          resolve(found);
          return;
        }
        if (!running.has(pi)) giveUp("pi has ended");
      };
      const giveUp = (why: string): void => {
        done();
        const last = records.slice(-12).map((record) => JSON.stringify(record).slice(0, 300));
        reject(new Error(`${why} before ${what}\n${last.join("\n")}\n${stderr}`));
      };
      const patience = setTimeout(() => giveUp("nothing came"), PATIENCE_MS);
      looking.add(search);
      queueMicrotask(search);
    });

  const ask: PiRpc["ask"] = async (command) => {
    asked += 1;
    const id = `ask-${asked}`;
    const start = records.length;
    send({ id, ...command });
    const answer = await find(`the answer to ${command.type}`, start, (record) =>
      record.type === "response" && record.id === id ? record : undefined,
    );
    if (!answer.success) throw new Error(answer.error ?? `pi refused ${command.type}`);
    return answer.data;
  };

  const pi: PiRpc = {
    pid: child.pid ?? 0,
    records,
    stderr: () => stderr,
    ask,
    type: (message) => ask({ type: "prompt", message }),
    until: (what, pick) => find(what, from, pick),
    mark: () => {
      from = records.length;
    },
    close: () => {
      child.stdin.end();
      return exited;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
  running.add(pi);
  afterFile(pi.kill);
  return pi;
}

const DIALOGS: ReadonlySet<string> = new Set(["select", "confirm", "input", "editor"]);

function cancel(): Readonly<Record<string, unknown>> {
  return { cancelled: true };
}

/** Records end with a line feed and nothing else; other line ends may stand inside them. */
function recordReader(take: (record: PiRecord) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") take(JSON.parse(line) as PiRecord); // written by the program under test
  };
}
