import { useState } from "react";
import type { ReactElement } from "react";
import { clockText } from "../../../../../../core/view/numbers.ts";
import { titleText } from "../../../../../../core/view/tell/handed.ts";
import type { VisitOutcome, VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import { Icon } from "../../../parts/marks/icon.tsx";
import type { IconName } from "../../../parts/marks/icon.tsx";
import { Orb } from "../../../parts/marks/orb.tsx";
import { Tabs, tabId } from "../../../parts/controls/tabs.tsx";
import { useKeys } from "../../../browser/keys.ts";
import type { CastPartProps } from "../state/use-cast-view.ts";
import { Facts } from "./facts.tsx";
import { HandoffTab } from "./handoff.tsx";
import { OutputTab } from "./output.tsx";
import { PromptTab } from "./prompt.tsx";
import "./reader.css";
import { RouteTab } from "./route.tsx";
import { ToolsTab } from "./tools.tsx";
import { useTranscript } from "./use-transcript.ts";

const TABS = [
  { key: "output", label: "Output" },
  { key: "prompt", label: "Prompt" },
  { key: "tools", label: "Tools" },
  { key: "handoff", label: "Handoff" },
  { key: "route", label: "Route" },
] as const;
export type ReaderTab = (typeof TABS)[number]["key"];

export interface VisitProps extends CastPartProps {
  readonly visit: VisitRecord;
}

/** One visit: what it was told, what it said and did, what it handed on, and which way it went. */
export function Reader({ cast, view }: CastPartProps): ReactElement {
  const { visit } = view;
  if (!visit)
    return (
      <section className="panel p-visit" aria-label="Visit">
        <p className="empty">No visit yet.</p>
      </section>
    );
  return <VisitReader cast={cast} view={view} visit={visit} />;
}

function VisitReader(props: VisitProps): ReactElement {
  const { cast, visit } = props;
  const [tab, setTab] = useState<ReaderTab>("output");
  const blocks = useTranscript(props);
  const tools = blocks.filter(({ kind }) => kind === "tool").length;
  const materia = cast.castFile.graph.materia[visit.materia];
  useKeys(Object.fromEntries(TABS.map(({ key }, index) => [`${index + 1}`, () => setTab(key)])));
  const tabs = TABS.map((each) => (each.key === "tools" && tools > 0 ? { ...each, count: tools } : each));
  return (
    <section className="panel p-visit" aria-label="Visit">
      <div className="vh">
        <Orb materia={materia} />
        <div className="grow">
          <h2 className="cut">
            {visit.materia} <span className="mute light">{`${visit.socket} · visit ${visit.visit}`}</span>
          </h2>
          <div className="sub cut">
            {visit.item
              ? `Item ${visit.item.index + 1} of ${visit.item.of} · ${titleText(visit.item.title, 200)}`
              : Object.keys(cast.castFile.graph.loops).length > 0
                ? "Outside the loop"
                : "No items"}
          </div>
        </div>
        <Outcome {...props} />
      </div>
      <div className="vt">
        <Tabs name="visit" label="Visit" tabs={tabs} chosen={tab} onChoose={setTab} />
      </div>
      <div className="vb">
        <div className="vmain" role="tabpanel" aria-labelledby={tabId("visit", tab)}>
          {tab === "output" && <OutputTab {...props} blocks={blocks} />}
          {tab === "prompt" && <PromptTab {...props} />}
          {tab === "tools" && <ToolsTab blocks={blocks} />}
          {tab === "handoff" && <HandoffTab {...props} />}
          {tab === "route" && <RouteTab {...props} />}
        </div>
        <Facts {...props} />
      </div>
    </section>
  );
}

const OUTCOMES: Readonly<Record<VisitOutcome, readonly [tone: string, icon: IconName, word: string]>> = {
  running: ["run", "running", "Running"],
  waiting: ["wait", "waiting", "Waiting for you"],
  done: ["off", "tick", "Done"],
  satisfied: ["ok", "tick", "Satisfied"],
  not_satisfied: ["rew", "not_satisfied", "Not satisfied"],
  failed: ["bad", "cross", "Failed"],
};

function Outcome({ visit, view }: VisitProps): ReactElement {
  const running = visit.outcome === "running" && view.latest.status !== "running" && visit.to === null;
  const [tone, icon, word] = running ? (["off", "interrupted", "Stopped"] as const) : OUTCOMES[visit.outcome];
  return (
    <span className={`st ${tone}`}>
      <Icon name={icon} />
      {`${word} ${clockText((visit.to ?? view.latest.elapsedMs) - visit.from)}`}
    </span>
  );
}
