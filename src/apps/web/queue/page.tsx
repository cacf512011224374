import { useCallback, useEffect, useRef, useState, type ReactElement } from "react";
import { splitRequests, type QueueCommand } from "../../../core/command/queue-command.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { countedText, oneLine } from "../../../core/model/text.ts";
import { QueueResponse, type QueueRow } from "../../../core/wire/casts.ts";
import { hrefOf } from "../browser/route.ts";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { useCommand } from "../data/use-command.ts";
import { fetchCommandOutput } from "../net/api.ts";
import { Button } from "../ui/buttons.tsx";
import { bindSheets } from "../ui/classes.ts";
import { LabelledField, Switch, TextArea } from "../ui/fields.tsx";
import { IssueList } from "../ui/issues.tsx";
import { CastStatusLabel } from "../ui/status.tsx";
import queueSheet from "./queue.module.css";

const css = bindSheets(queueSheet);

/** [YQ10] The requests that are cast later: `#/queue`. */
export default function QueuePage(): ReactElement {
  const { rows, issues, load } = useQueue();
  const command = useCommand();
  const [sleeps, setSleeps] = useState(true);
  const send = async (change: QueueCommand, done: string): Promise<boolean> => {
    const options = change.action === "run" && sleeps ? { wait: NIGHT_MS } : {};
    const isDone = (await command.run(change, done, { options })) !== null;
    await load();
    return isDone;
  };
  const begun = rows?.filter(({ castId }) => castId !== undefined).length ?? 0;
  return (
    <section className={css("view")} aria-label="Queue">
      <div className={css("page-head")}>
        <h1>Queue</h1>
        <Button
          look="primary"
          icon="play"
          busy={command.busy?.kind === "queue" && command.busy.action === "run"}
          off={rows?.length === 0 ? "The queue is empty" : null}
          onClick={() => void send({ kind: "queue", action: "run", atOnce: 1 }, "The queue runs in the background")}
        >
          Run the queue
        </Button>
        <Switch label="Sleep through limits, up to 8 hours" on={sleeps} onTurn={setSleeps} />
        <span className={css("secondary")} role="status">
          {rows && `${countedText(rows.length, "request")}${begun === 0 ? "" : `, ${begun} begun`}`}
        </span>
      </div>
      <IssueList issues={issues} />
      <div className={css("queue")}>
        <AddForm busy={command.busy !== null} send={send} />
        {rows && <RequestList rows={rows} send={send} />}
      </div>
    </section>
  );
}

const NIGHT_MS = 8 * 3_600_000;

type Send = (change: QueueCommand, done: string) => Promise<boolean>;

/** Read again when a cast changes its status, and when the window is seen again. */
function useQueue() {
  const [rows, setRows] = useState<readonly QueueRow[] | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const { casts } = useCasts();
  const states = casts.map(({ castId, status }) => `${castId} ${status}`).join();
  const latest = useRef(0);
  const load = useCallback(async (): Promise<void> => {
    latest.current += 1;
    const mine = latest.current;
    const answer = await fetchCommandOutput({ command: { kind: "queue", action: "list" } }, QueueResponse);
    // An earlier answer would bring back what was moved since.
    if (mine !== latest.current) return;
    if (answer.ok) setRows(answer.value);
    setIssues(answer.ok ? [] : answer.issues);
  }, []);
  useEffect(() => {
    const reload = (): void => void load();
    reload();
    window.addEventListener("focus", reload);
    return () => window.removeEventListener("focus", reload);
  }, [load, states]);
  return { rows, issues, load };
}

function RequestList({ rows, send }: { readonly rows: readonly QueueRow[]; readonly send: Send }): ReactElement {
  const list = useRef<HTMLOListElement>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  useEffect(() => {
    // A moved row is drawn anew and would lose the focus.
    if (focused !== null) list.current?.querySelector<HTMLElement>(`[data-button="${focused}"]`)?.focus();
    setFocused(null);
  }, [rows, focused]);
  if (rows.length === 0)
    return <p className={css("empty")}>Nothing is queued. Add requests; each is cast in a separate working tree.</p>;
  const move = (at: string, to: QueueRow | undefined, button?: string): void => {
    if (!to || to.castId !== undefined || to.id === at) return;
    void send({ kind: "queue", action: "move", at, to: to.id }, `Moved to place ${to.n}`).then(
      () => button !== undefined && setFocused(button),
    );
  };
  return (
    <ol className={css("requests")} aria-label="Requests" ref={list}>
      {rows.map((row, index) => (
        <li
          key={row.id}
          className={css(dragged === row.id ? "request dragged" : "request")}
          draggable={row.castId === undefined}
          onDragStart={() => setDragged(row.id)}
          onDragEnd={() => setDragged(null)}
          onDragOver={(event) => {
            if (dragged !== null && row.castId === undefined) event.preventDefault();
          }}
          onDrop={(event) => {
            event.preventDefault();
            if (dragged !== null) move(dragged, row);
          }}
        >
          <span className={css("place")}>{row.n}</span>
          <RequestText row={row} />
          {row.castId === undefined && (
            <RowButtons row={row} above={rows[index - 1]} below={rows[index + 1]} onMove={move} send={send} />
          )}
        </li>
      ))}
    </ol>
  );
}

function RequestText({ row }: { readonly row: QueueRow }): ReactElement {
  const { request, loadout, model, castId, status, fleet } = row;
  const settings = [loadout, model].filter((part) => part !== undefined).join(", ");
  return (
    <span className={css("request-text")}>
      <span className={css("breakable words")} dir="auto">
        {request}
      </span>
      {castId === undefined ? (
        <span className={css("faint")}>{settings === "" ? "Waits" : `Waits: ${settings}`}</span>
      ) : (
        <a href={hrefOf("casts", castId)} aria-label={`The cast of ${oneLine(request, 60)}`}>
          {status ? <CastStatusLabel status={status} /> : fleet === undefined ? "Begun" : `Begun on ${fleet}`}
        </a>
      )}
    </span>
  );
}

function RowButtons(props: {
  readonly row: QueueRow;
  readonly above: QueueRow | undefined;
  readonly below: QueueRow | undefined;
  readonly onMove: (at: string, to: QueueRow | undefined, button: string) => void;
  readonly send: Send;
}): ReactElement {
  const { row, above, below, onMove, send } = props;
  const name = oneLine(row.request, 60);
  const moves = [
    { icon: "up", to: above?.castId === undefined ? above : undefined, off: "It is the first that waits" },
    { icon: "down", to: below, off: "It is the last" },
  ] as const;
  return (
    <span className={css("row-buttons")}>
      {moves.map(({ icon, to, off }) => (
        <Button
          key={icon}
          look="bare"
          icon={icon}
          label={`Move ${icon}: ${name}`}
          data-button={`${icon} ${row.id}`}
          off={to ? null : off}
          onClick={() => onMove(row.id, to, `${icon} ${row.id}`)}
        />
      ))}
      <Button
        look="bare"
        icon="bin"
        label={`Remove: ${name}`}
        onClick={() => void send({ kind: "queue", action: "remove", at: row.id }, "Removed from the queue")}
      />
    </span>
  );
}

function AddForm({ busy, send }: { readonly busy: boolean; readonly send: Send }): ReactElement {
  const [text, setText] = useTextDraft("queue");
  const entries = splitRequests(text).length;
  const add = async (isList: boolean): Promise<void> => {
    if (text.trim() === "" || busy) return;
    const split = isList ? { split: true as const } : {};
    const done = isList ? `${countedText(entries, "request")} added` : "Added";
    if (await send({ kind: "queue", action: "add", text, literal: true, ...split }, done)) setText("");
  };
  return (
    <form
      className={css("option add")}
      onSubmit={(event) => {
        event.preventDefault();
        void add(false);
      }}
    >
      <LabelledField label="Request, or a Markdown list of requests">
        <TextArea value={text} onType={setText} placeholder="What should be done" />
      </LabelledField>
      <span className={css("row")}>
        <Button look="primary" type="submit" icon="plus" busy={busy} off={text.trim() === "" ? "Type a request" : null}>
          Add as one request
        </Button>
        {entries > 1 && <Button onClick={() => void add(true)}>{`Add as ${entries} requests`}</Button>}
      </span>
    </form>
  );
}
