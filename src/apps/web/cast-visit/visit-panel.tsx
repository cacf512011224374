import { conversationText } from "../../../core/view/graph/labels.ts";
import { useEffect, useRef, useState, type ReactElement, useMemo, type RefObject } from "react";
import { durationText } from "../../../core/view/numbers.ts";
import { titleText } from "../../../core/view/report/handoff-lines.ts";
import type { VisitOutcome } from "../../../core/history/visits.ts";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import { Icon, type IconName, MateriaIcon } from "../ui/icons.tsx";
import { Button, Tabs, tabId } from "../ui/buttons.tsx";
import { useKeys } from "../browser/keyboard.ts";
import { hrefOf, readSearchParam } from "../browser/route.ts";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { VisitQuestion } from "./answer-form.tsx";
import { ForkDialog, FORK_NOT_ON_FLEET } from "./fork-dialog.tsx";
import { useCatalog } from "../data/use-catalog.ts";
import { FilesTab } from "./files-tab.tsx";
import { VisitFacts, RouteTab } from "./visit-facts.tsx";
import { OutputTab, useVisitFile, PromptTab } from "./output-tab.tsx";
import { ResultTab } from "./result-tab.tsx";
import { ToolCallsTab } from "./tool-calls-tab.tsx";
import { bindSheets } from "../ui/classes.ts";
import { capitalize } from "../ui/status.tsx";
import { statusText } from "../../../core/view/cast-list.ts";
import readerSheet from "./visit.module.css";
import { countEqualCalls, parseTranscript, type TranscriptBlock } from "../cast-replay/transcript.ts";
import { parseMillis } from "../../../core/model/text.ts";
import { HandoffTab } from "./handoff.tsx";
import { useNow } from "../browser/display.ts";

const css = bindSheets(readerSheet);

const RESULT_TAB = { key: "result", label: "Result" } as const;
const VISIT_TABS = [
  { key: "output", label: "Output" },
  { key: "prompt", label: "Prompt" },
  { key: "tools", label: "Tools" },
  { key: "handoff", label: "Handoff" },
  { key: "route", label: "Route" },
  { key: "files", label: "Files" },
] as const;
export type VisitTab = (typeof VISIT_TABS)[number]["key"] | "result";

export interface VisitProps extends CastPanelProps {
  readonly visit: TimelineVisit;
}

export function VisitPanel({ cast, view }: CastPanelProps): ReactElement {
  const { visit } = view;
  if (!visit)
    return (
      <section className={css("panel visit-panel")} aria-label="Visit">
        <p className={css("empty")}>No visit yet.</p>
      </section>
    );
  return <VisitReader cast={cast} view={view} visit={visit} />;
}

/** The tab that a link or the person selected; otherwise the result of a finished cast, or the output of a visit. */
function useVisitTab({ view, visit }: VisitProps) {
  const [selected, setSelected] = useState<VisitTab | null>(
    () => VISIT_TABS.find(({ key }) => key === readSearchParam("tab"))?.key ?? null,
  );
  const { status } = view.latest;
  const hasResult = status === "completed" || status === "not_satisfied";
  const isOpened = view.chosen !== null || view.at !== null;
  // Another visit is read, not the result.
  useEffect(() => setSelected((before) => (before === "result" && isOpened ? null : before)), [visit.index, isOpened]);
  const tab = selected ?? (hasResult && !isOpened ? "result" : "output");
  return { tab: tab === "result" && !hasResult ? "output" : tab, setTab: setSelected, hasResult, isOpened };
}

function VisitReader(props: VisitProps): ReactElement {
  const { visit } = props;
  const { tab, setTab, hasResult, isOpened } = useVisitTab(props);
  const [isFull, setFull] = useState(false);
  const main = useRef<HTMLDivElement>(null);
  useSearchHighlight(main, tab);
  const blocks = useTranscript(props);
  const tools = blocks.filter(({ kind }) => kind === "tool").length;
  useKeys({
    z: () => setFull((before) => !before),
    escape: () => {
      setFull(false);
      return isFull;
    },
  });
  useKeys(Object.fromEntries(VISIT_TABS.map(({ key }, index) => [`${index + 1}`, () => setTab(key)])));
  const changed = visit.files && "changed" in visit.files.now ? visit.files.now.changed : 0;
  const counts: Readonly<Record<string, number>> = { tools, files: changed };
  const tabs = [...(hasResult ? [RESULT_TAB] : []), ...VISIT_TABS].map((each) =>
    (counts[each.key] ?? 0) > 0 ? { ...each, count: counts[each.key] } : each,
  );
  return (
    <section className={css(`panel visit-panel ${isFull ? "full-screen" : ""}`)} aria-label="Visit">
      <div className={css("visit-head")}>
        {tab === "result" ? <h2 className={css("grow")}>Result of the cast</h2> : <VisitHead {...props} />}
        <Button className={css(isFull ? "" : "enter-full")} aria-pressed={isFull} onClick={() => setFull(!isFull)}>
          {isFull ? "Leave full screen" : "Fill the screen"}
        </Button>
      </div>
      <div className={css("visit-tabs")}>
        <Tabs name="visit" label="Visit" tabs={tabs} chosen={tab} onChoose={setTab} />
      </div>
      <div className={css(`visit-body ${tab === "files" || tab === "result" ? "wide-body" : ""}`)}>
        <div className={css("visit-main")} ref={main} role="tabpanel" aria-labelledby={tabId("visit", tab)}>
          {tab === "result" && <ResultTab {...props} onFiles={() => setTab("files")} />}
          {tab === "output" && <OutputTab {...props} blocks={blocks} />}
          {tab === "prompt" && <PromptTab {...props} />}
          {tab === "tools" && <ToolCallsTab blocks={blocks} />}
          {tab === "handoff" && <HandoffTab {...props} />}
          {tab === "route" && <RouteTab {...props} />}
          {tab === "files" && <FilesTab {...props} usual={hasResult && !isOpened ? "cast" : "visit"} />}
        </div>
        {tab !== "files" && tab !== "result" && <VisitFacts {...props} />}
      </div>
      <VisitQuestion {...props} />
    </section>
  );
}

function VisitHead(props: VisitProps): ReactElement {
  const { cast, visit } = props;
  const { fleet } = useCatalog();
  const [forking, setForking] = useState(false);
  const { graph } = cast.castFile;
  const place = [visit.socket, `visit ${visit.visit}`, conversationText(visit.conversation)]
    .filter(Boolean)
    .join(" · ");
  return (
    <>
      <MateriaIcon materia={graph.materia[visit.materia]} />
      <div className={css("grow")}>
        <h2 className={css("cut")}>
          <a className={css("quiet-link")} href={hrefOf("materia", visit.materia)}>
            {visit.materia}
          </a>{" "}
          <span className={css("faint light")}>{place}</span>
        </h2>
        <div className={css("secondary cut")}>
          {visit.item
            ? `Item ${visit.item.index + 1} of ${visit.item.of} · ${titleText(visit.item.title, 200)}`
            : Object.keys(graph.loops).length > 0
              ? "Outside the loop"
              : "No items"}
        </div>
      </div>
      <OutcomeStatus {...props} />
      <Button off={fleet === null ? null : FORK_NOT_ON_FLEET} onClick={() => setForking(true)}>
        Run from here…
      </Button>
      {forking && <ForkDialog cast={cast} visit={visit} onClose={() => setForking(false)} />}
    </>
  );
}

const OUTCOME_LABELS = {
  running: ["running", "running", "Running"],
  waiting: ["waiting-tone", "waiting", "Waiting for you"],
  done: ["off", "tick", "Done"],
  satisfied: ["good", "tick", "Satisfied"],
  not_satisfied: ["rework", "not_satisfied", "Not satisfied"],
  failed: ["bad", "cross", "Failed"],
  aborted: ["off", "aborted", "Aborted"],
} as const satisfies Record<VisitOutcome, readonly [tone: string, icon: IconName, word: string]>;

function OutcomeStatus({ visit, view }: VisitProps): ReactElement {
  const { status } = view.latest;
  const isStopped = visit.outcome === "running" && status !== "running" && visit.to === null;
  const isAsleep = isStopped && (status === "sleeping" || status === "paused");
  const isWaiting = isAsleep || visit.outcome === "waiting";
  const now = useNow(isWaiting);
  // A wait is no work: it has the time of the clock.
  const spent = isWaiting
    ? Math.max(0, now - parseMillis(view.trail.clock.lastAt, now))
    : (visit.to ?? view.latest.elapsedMs) - visit.from;
  const [tone, icon, word] = !isStopped
    ? OUTCOME_LABELS[visit.outcome]
    : isAsleep
      ? (["waiting-tone", "waiting", capitalize(statusText(status))] as const)
      : (["off", "interrupted", "Stopped"] as const);
  return (
    <span className={css(`status ${tone}`)}>
      <Icon name={icon} />
      {`${word} ${durationText(spent)}`}
    </span>
  );
}

/** The output of the agent: live during the visit, from the transcript afterwards. */
function useTranscript({ cast, visit }: VisitProps): readonly TranscriptBlock[] {
  const live = cast.progress.blocksOf(visit.socket, visit.visit);
  const isAgent = cast.castFile.graph.materia[visit.materia]?.type === "agent";
  // During the visit text comes by the stream; the transcript is written after a turn.
  const isKept = isAgent && (visit.outcome !== "running" || visit.repairs > 0);
  const file = useVisitFile(cast, visit, isKept ? "transcript.jsonl" : null);
  const kept = useMemo(() => (file == null ? [] : parseTranscript(file)), [file]);
  const blocks = visit.to === null && live.length > 0 ? live : kept.length > 0 ? kept : live;
  return useMemo(() => countEqualCalls(blocks), [blocks]);
}

/** Marks the searched words and scrolls to them once; the person scrolls from then on. */
function useSearchHighlight(place: RefObject<HTMLElement | null>, tab: string): void {
  const [sought] = useState(() => ({ words: readSearchParam("found")?.toLowerCase() ?? "", tab }));
  useEffect(() => {
    const element = place.current;
    if (!element || sought.words === "" || tab !== sought.tab) return undefined;
    const look = (): boolean => {
      const range = findTextRange(element, sought.words);
      if (!range) return false;
      observer.disconnect();
      // Mark without a change of the DOM; older browsers only scroll.
      if ("highlights" in CSS) CSS.highlights.set("found", new Highlight(range));
      // Scrolls to the middle of the container. A long text element counts as visible when a part of it is.
      for (let frame = range.startContainer.parentElement; frame; frame = frame.parentElement) {
        const isPage = frame === document.scrollingElement;
        if (frame.scrollHeight <= frame.clientHeight || (!isPage && getComputedStyle(frame).overflowY === "visible"))
          continue;
        const top = isPage ? 0 : frame.getBoundingClientRect().top;
        frame.scrollTop += range.getBoundingClientRect().top - top - frame.clientHeight / 2;
      }
      return true;
    };
    // A prompt or an output may still be loading.
    const observer = new MutationObserver(look);
    if (!look()) observer.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      if ("highlights" in CSS) CSS.highlights.delete("found");
    };
  }, [place, sought, tab]);
}

/** The first occurrence of these words, even across text nodes. */
function findTextRange(element: HTMLElement, words: string): Range | null {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const pieces: { readonly node: Node; readonly from: number }[] = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    pieces.push({ node, from: text.length });
    text += node.nodeValue ?? "";
  }
  const at = text.toLowerCase().indexOf(words);
  if (at === -1) return null;
  const end = at + words.length - 1;
  const pieceOf = (offset: number) => pieces.findLast(({ from }) => from <= offset);
  const [first, last] = [pieceOf(at), pieceOf(end)];
  if (!first || !last) return null;
  const range = document.createRange();
  range.setStart(first.node, at - first.from);
  range.setEnd(last.node, end - last.from + 1);
  return range;
}
