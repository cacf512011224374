import { useLayoutEffect, useRef, useState, type ReactElement, memo } from "react";
import { Button } from "../ui/buttons.tsx";
import type { TranscriptBlock } from "../cast-replay/transcript.ts";
import type { VisitProps } from "./visit-panel.tsx";
import { HandoffCard, readableHandoff } from "./handoff.tsx";
import { ToolCallView } from "./tool-calls-tab.tsx";
import { eventsOfVisit } from "../../../core/history/visits.ts";
import { parseJson } from "../../../core/model/json.ts";
import { countedText } from "../../../core/model/text.ts";
import { bindSheets } from "../ui/classes.ts";
import readerSheet from "./visit.module.css";
import { Markdown } from "../ui/markdown.tsx";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import type { VisitFileName } from "../../../core/wire/casts.ts";
import { getVisitFile } from "../net/api.ts";
import { useFetched } from "../data/use-fetched.ts";
import type { WatchedCast } from "../cast-replay/use-cast.ts";
import type { SentPrompt } from "../../../core/view/report/prompt-parts.ts";
import { CopyButton } from "../ui/toasts.tsx";

const css = bindSheets(readerSheet);

/** Texts and tool calls in order. Follows the stream until a person scrolls up. */
export function OutputTab(props: OutputProps): ReactElement {
  const { socket, visit } = props.visit;
  return isUtility(props) ? <UtilityOutput {...props} /> : <AgentOutput {...props} key={`${socket} ${visit}`} />;
}

type OutputProps = VisitProps & { readonly blocks: readonly TranscriptBlock[] };

function isUtility({ cast, visit }: VisitProps): boolean {
  return cast.castFile.graph.materia[visit.materia]?.type === "utility";
}

function AgentOutput({ cast, visit, view, blocks }: OutputProps): ReactElement {
  const isLive = visit.to === null && view.latest.status === "running";
  const isKept = blocks.length === 0 && visit.to !== null && visit.outcome !== "failed";
  const output = useVisitFile(cast, visit, isKept ? "output.md" : null);
  const follow = useAutoScroll(isLive, blocks);
  const shown = blocks.length > 0 || output == null ? blocks : [{ kind: "text", text: output } as const];
  // [W49] Everything before the last texts is folded. A visit that ended with a tool has no answer.
  const last = shown.findLastIndex(({ kind }) => kind !== "text") + 1;
  const answerFrom = isLive || last === shown.length ? 0 : last;
  const [work, answer] = [shown.slice(0, answerFrom), shown.slice(answerFrom)];
  const tools = work.filter(({ kind }) => kind === "tool").length;
  const failure = failureText(cast, visit);
  const said = shown.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n\n");
  return (
    <div
      className={css("output")}
      ref={follow.box}
      onScroll={follow.onScroll}
      tabIndex={0}
      role="region"
      aria-label="Output"
      aria-live="off"
    >
      {said !== "" && !isLive && readableHandoff(said) === null && (
        <div className={css("copy-place")}>
          <CopyButton text={said} what="the output" />
        </div>
      )}
      {answer.map((block, index) => (
        // The index is the key: blocks are only appended.
        <OutputBlock key={index} block={block} isLast={isLive && index === answer.length - 1} />
      ))}
      {work.length > 0 && (
        <details className={css("work")}>
          <summary>{`Before the answer: ${tools === 0 ? "its thinking" : countedText(tools, "tool call")}`}</summary>
          {work.map((block, index) => (
            <OutputBlock key={index} block={block} isLast={false} />
          ))}
        </details>
      )}
      {failure !== undefined && <div className={css("note bad")}>{failure}</div>}
      {shown.length === 0 && failure === undefined && (
        <p className={css("faint")}>{isLive ? "No output yet." : output === undefined ? "" : "No output."}</p>
      )}
      {isLive && shown.at(-1)?.kind === "tool" && CARET}
      {follow.missed > 0 && (
        <Button className={css("new-lines")} onClick={follow.resume}>
          {countedText(follow.missed, "new line")}
        </Button>
      )}
    </div>
  );
}

function failureText(cast: WatchedCast, visit: TimelineVisit): string | undefined {
  if (visit.outcome !== "failed") return undefined;
  const failed = eventsOfVisit(cast.replay.events(), visit).findLast(({ type }) => type === "turn_failed");
  return failed?.type === "turn_failed" ? failed.message : undefined;
}

function OutputBlock({ block, isLast }: { readonly block: TranscriptBlock; readonly isLast: boolean }): ReactElement {
  switch (block.kind) {
    case "tool":
      return <ToolCallView tool={block} />;
    case "thinking":
      return (
        <details className={css("thinking")} open={isLast}>
          <summary className={css("faint")}>{isLast ? "Thinking…" : "Thinking"}</summary>
          <AgentText text={block.text} />
        </details>
      );
    case "note":
      return (
        <p className={css("note")} dir="auto">
          {block.text}
        </p>
      );
    case "text":
      return (
        <div className={css("said")}>
          <AgentText text={block.text} />
          {isLast && CARET}
        </div>
      );
  }
}

const CARET = <span className={css("caret")} aria-hidden="true" />;

function UtilityOutput({ cast, visit }: VisitProps): ReactElement {
  const out = useVisitFile(cast, visit, "stdout.txt");
  const err = useVisitFile(cast, visit, "stderr.txt");
  const [text, errors] = [out ?? "", err ?? ""];
  const handoff = readableHandoff(text);
  const failure = failureText(cast, visit);
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Output">
      {failure !== undefined && <div className={css("note bad")}>{failure}</div>}
      {handoff ? (
        <HandoffCard handoff={handoff} />
      ) : (
        text !== "" && <pre className={css("code wrap")}>{prettyJson(text)}</pre>
      )}
      {errors !== "" && (
        <>
          <h3>Standard error</h3>
          <pre className={css("code wrap")}>{errors}</pre>
        </>
      )}
      {text === "" && errors === "" && failure === undefined && out !== undefined && (
        <p className={css("faint")}>It printed nothing.</p>
      )}
    </div>
  );
}

function prettyJson(text: string): string {
  return JSON.stringify(parseJson(text), null, 2) ?? text;
}

const NEAR_END_PX = 24;

function useAutoScroll(isLive: boolean, blocks: readonly TranscriptBlock[]) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [seen, setSeen] = useState(0);
  const lines = blocks.reduce((sum, block) => sum + (block.kind === "tool" ? 1 : block.text.split("\n").length), 0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !isLive || !follows.current) return;
    element.scrollTop = element.scrollHeight;
    setSeen(lines);
  }, [isLive, lines, blocks]);
  return {
    box,
    missed: isLive && !follows.current ? Math.max(0, lines - seen) : 0,
    onScroll: () => {
      const element = box.current;
      if (!element) return;
      follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
      if (follows.current) setSeen(lines);
    },
    resume: () => {
      follows.current = true;
      box.current?.scrollTo({ top: box.current.scrollHeight });
      setSeen(lines);
    },
  };
}

const AgentText = memo(function Prose({ text }: { readonly text: string }): ReactElement {
  const handoff = readableHandoff(text);
  return handoff === null ? <Markdown text={text} /> : <HandoffCard handoff={handoff} />;
});

/** The wait for the file of an event; a slow disk may be late. */
const RETRY_DELAYS_MS = [200, 400, 800, 1_600, 3_200];

/** A file of a visit, fetched again when the visit moves on; null if there is none, undefined while it loads. */
export function useVisitFile(
  cast: WatchedCast,
  visit: TimelineVisit,
  name: VisitFileName | null,
): string | null | undefined {
  const { castId } = cast.castFile;
  const { socket, visit: number } = visit;
  // Without an owner nothing more is written.
  const waits = cast.isAlive ? RETRY_DELAYS_MS : RETRY_DELAYS_MS.slice(0, 1);
  const stage = `${visit.outcome} ${visit.repairs} ${visit.to === null} ${cast.isAlive}`;
  const key = `${castId} ${socket} ${number} ${name ?? ""}`;
  const file = useFetched(name === null ? null : `${key} ${stage}`, key, async (signal) => {
    const value = name && (await readVisitFile(castId, { socket, visit: number, name }, { waits, signal }));
    return { ok: true, status: 200, value };
  });
  if (name === null) return null;
  return file.kind === "loaded" ? file.value : undefined;
}

async function readVisitFile(
  castId: string,
  file: Parameters<typeof getVisitFile>[1],
  { waits, signal }: { readonly waits: readonly number[]; readonly signal: AbortSignal },
): Promise<string | null> {
  for (const wait of [...waits, null]) {
    const answer = await getVisitFile(castId, file, signal);
    if (!answer.ok) return null;
    if (answer.status !== 204) return answer.value;
    if (wait === null || signal.aborted) return null;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return null;
}

export function PromptTab(props: VisitProps): ReactElement {
  const { cast, visit } = props;
  const isInput = isUtility(props);
  const text = useVisitFile(cast, visit, isInput ? "input.json" : "prompt.md");
  const parts = useVisitFile(cast, visit, isInput ? null : "prompt-parts.json");
  const sent = parts == null ? undefined : (JSON.parse(parts) as SentPrompt).parts; // the server wrote it
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Prompt">
      {text != null && (
        <div className={css("copy-place")}>
          <CopyButton text={text} what={isInput ? "the input" : "the prompt"} />
        </div>
      )}
      {sent?.map(({ title, text, tokens, chars, reused }, index) => (
        <details key={index} open>
          <summary>{`${title}: ${tokens} tokens${reused ? `, ${Math.floor((100 * reused) / chars)} % from a cache` : ""}`}</summary>
          <pre className={css("told")}>{text}</pre>
        </details>
      ))}
      {/* Not before the parts: a replaced text would lose the marked words. */}
      {text != null && parts === null && <pre className={css("told")}>{isInput ? prettyJson(text) : text}</pre>}
      {text === null && <p className={css("faint")}>No prompt was kept for this visit.</p>}
    </div>
  );
}
