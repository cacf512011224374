import { conversationText } from "../../../core/view/graph/labels.ts";
import { useEffect, useRef, useState, type ReactElement, useMemo } from "react";
import { durationText } from "../../../core/view/numbers.ts";
import { titleText } from "../../../core/view/report/handoff-lines.ts";
import type { VisitOutcome } from "../../../core/history/visits.ts";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import { Icon, type IconName, MateriaIcon } from "../ui/icons.tsx";
import { Button } from "../ui/buttons.tsx";
import { Tabs, tabId } from "../ui/tabs.tsx";
import { useKeys } from "../browser/keyboard.ts";
import { hrefOf, readSearchParam } from "../browser/route.ts";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { VisitQuestion } from "./answer-form.tsx";
import { ForkDialog, FORK_NOT_ON_FLEET } from "./fork-dialog.tsx";
import { useCatalog } from "../data/use-catalog.ts";
import { FilesTab } from "./files-tab.tsx";
import { VisitFacts, RouteTab } from "./visit-facts.tsx";
import { OutputTab, useVisitFile } from "./output-tab.tsx";
import { PromptTab } from "./prompt-tab.tsx";
import { ResultTab } from "./result-tab.tsx";
import { ToolCallsTab } from "./tool-calls-tab.tsx";
import { useSearchHighlight } from "../ui/use-search-highlight.ts";
import { bindSheets } from "../ui/classes.ts";
import readerSheet from "./visit.module.css";
import { parseTranscript, type TranscriptBlock } from "../cast-replay/transcript.ts";
import { HandoffTab } from "./handoff-tab.tsx";
import { parseMillis } from "../../../core/model/text.ts";
import { useNow } from "../browser/use-now.ts";

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

/** One visit: prompt, output, tool calls, handoff, route and files. */
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
function useVisitTab({ view, visit }: VisitProps): {
  readonly tab: VisitTab;
  readonly setTab: (tab: VisitTab) => void;
  readonly hasResult: boolean;
} {
  const [selected, setSelected] = useState<VisitTab | null>(
    () => VISIT_TABS.find(({ key }) => key === readSearchParam("tab"))?.key ?? null,
  );
  const { status } = view.latest;
  const hasResult = status === "completed" || status === "not_satisfied";
  const isOpened = view.isVisitChosen || view.at !== null;
  // Another visit is read, not the result.
  useEffect(() => setSelected((before) => (before === "result" && isOpened ? null : before)), [visit.index, isOpened]);
  const tab = selected ?? (hasResult && !isOpened ? "result" : "output");
  return { tab: tab === "result" && !hasResult ? "output" : tab, setTab: setSelected, hasResult };
}

function VisitReader(props: VisitProps): ReactElement {
  const { visit } = props;
  const { tab, setTab, hasResult } = useVisitTab(props);
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
      <VisitHead {...props} isFull={isFull} onFull={() => setFull(!isFull)} />
      <div className={css("visit-tabs")}>
        <Tabs name="visit" label="Visit" tabs={tabs} chosen={tab} onChoose={setTab} />
      </div>
      <div className={css(`visit-body ${tab === "files" || tab === "result" ? "wide-body" : ""}`)}>
        <div className={css("visit-main")} ref={main} role="tabpanel" aria-labelledby={tabId("visit", tab)}>
          <TabBody {...props} tab={tab} blocks={blocks} onFiles={() => setTab("files")} />
        </div>
        {tab !== "files" && tab !== "result" && <VisitFacts {...props} />}
      </div>
      <VisitQuestion {...props} />
    </section>
  );
}

function VisitHead(props: VisitProps & { readonly isFull: boolean; readonly onFull: () => void }): ReactElement {
  const { cast, visit, isFull, onFull } = props;
  const { fleet } = useCatalog();
  const [forking, setForking] = useState(false);
  const materia = cast.castFile.graph.materia[visit.materia];
  return (
    <>
      <div className={css("visit-head")}>
        <MateriaIcon materia={materia} />
        <div className={css("grow")}>
          <h2 className={css("cut")}>
            <a className={css("quiet-link")} href={hrefOf("materia", visit.materia)}>
              {visit.materia}
            </a>{" "}
            <span className={css("faint light")}>{placeText(visit)}</span>
          </h2>
          <div className={css("secondary cut")}>
            {visit.item
              ? `Item ${visit.item.index + 1} of ${visit.item.of} · ${titleText(visit.item.title, 200)}`
              : Object.keys(cast.castFile.graph.loops).length > 0
                ? "Outside the loop"
                : "No items"}
          </div>
        </div>
        <OutcomeStatus {...props} />
        <Button off={fleet === null ? null : FORK_NOT_ON_FLEET} onClick={() => setForking(true)}>
          Run from here…
        </Button>
        <Button aria-pressed={isFull} onClick={onFull}>
          {isFull ? "Close full screen" : "Full screen"}
        </Button>
      </div>
      {forking && <ForkDialog cast={cast} visit={visit} onClose={() => setForking(false)} />}
    </>
  );
}

function TabBody(
  all: VisitProps & {
    readonly tab: VisitTab;
    readonly blocks: readonly TranscriptBlock[];
    readonly onFiles: () => void;
  },
): ReactElement {
  const { tab, blocks, onFiles, ...props } = all;
  return (
    <>
      {tab === "result" && <ResultTab cast={props.cast} view={props.view} onFiles={onFiles} />}
      {tab === "output" && <OutputTab {...props} blocks={blocks} />}
      {tab === "prompt" && <PromptTab {...props} />}
      {tab === "tools" && <ToolCallsTab blocks={blocks} />}
      {tab === "handoff" && <HandoffTab {...props} />}
      {tab === "route" && <RouteTab {...props} />}
      {tab === "files" && <FilesTab {...props} />}
    </>
  );
}

function placeText({ socket, visit, conversation }: VisitProps["visit"]): string {
  return [socket, `visit ${visit}`, conversationText(conversation)].filter(Boolean).join(" · ");
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
  const running = visit.outcome === "running" && view.latest.status !== "running" && visit.to === null;
  const [tone, icon, word] = running ? (["off", "interrupted", "Stopped"] as const) : OUTCOME_LABELS[visit.outcome];
  return (
    <span className={css(`status ${tone}`)}>
      <Icon name={icon} />
      {visit.outcome === "waiting" ? (
        <WaitingTime since={view.trail.clock.lastAt} word={word} />
      ) : (
        `${word} ${durationText((visit.to ?? view.latest.elapsedMs) - visit.from)}`
      )}
    </span>
  );
}

/** A wait is no work: it has the time of the clock. */
function WaitingTime({ since, word }: { readonly since: string | null; readonly word: string }): ReactElement {
  const now = useNow(true);
  return <>{`${word} ${durationText(Math.max(0, now - parseMillis(since, now)))}`}</>;
}

/** The output of the agent: live during the visit, from the transcript afterwards. */
function useTranscript({ cast, visit }: VisitProps): readonly TranscriptBlock[] {
  const live = cast.progress.blocksOf(visit.socket, visit.visit);
  const isAgent = cast.castFile.graph.materia[visit.materia]?.type === "agent";
  // During the visit text comes by the stream; the transcript is written after a turn.
  const file = useVisitFile(
    cast,
    visit,
    isAgent && (visit.outcome !== "running" || visit.repairs > 0) ? "transcript.jsonl" : null,
  );
  const kept = useMemo(() => (file.kind === "text" ? parseTranscript(file.text) : []), [file]);
  return visit.to === null && live.length > 0 ? live : kept.length > 0 ? kept : live;
}
