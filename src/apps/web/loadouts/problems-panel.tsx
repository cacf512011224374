import { useMemo, type ReactElement } from "react";
import { compareLoadouts, type LoadoutChange } from "../../../core/edit/compare-loadouts.ts";
import { Button, Tabs, tabId } from "../ui/buttons.tsx";
import { countedText } from "../../../core/model/text.ts";
import { Icon } from "../ui/icons.tsx";
import { asSentence } from "../ui/status.tsx";
import { useEditor, closeUndoStep, type LoadoutProblem, graphPartOf } from "../loadout-editor/editor.ts";
import { bindSheets } from "../ui/classes.ts";
import editorSheet from "./editor.module.css";

const css = bindSheets(editorSheet);

export type ProblemsPanelTab = "problems" | "json" | "changes";

export function ProblemsPanel(props: {
  readonly tab: ProblemsPanelTab;
  readonly setTab: (tab: ProblemsPanelTab) => void;
  readonly onShow: (problem: LoadoutProblem) => void;
}): ReactElement {
  const { tab, setTab, onShow } = props;
  const { checked, draft } = useEditor();
  const changes = useMemo(
    () => compareLoadouts(draft.base.loadout, draft.history.present.loadout),
    [draft.base, draft.history.present],
  );
  return (
    <section className={css(tab === "json" ? "problems on-json" : "problems")} aria-label="Problems, JSON and changes">
      <div className={css("panel-head")}>
        <Tabs
          name="bottom"
          label="Problems, JSON and changes"
          tabs={[
            { key: "problems", label: "Problems", count: checked.problems.length },
            { key: "json", label: "JSON" },
            { key: "changes", label: "Changes", count: changes.length },
          ]}
          chosen={tab}
          onChoose={setTab}
        />
        <span className={css("grow")} />
        <span className={css("faint not-small")}>Checked as you edit</span>
      </div>
      <div role="tabpanel" className={css("problems-body")} aria-labelledby={tabId("bottom", tab)}>
        {tab === "problems" && <ProblemList onShow={onShow} />}
        {tab === "json" && <JsonEditor />}
        {tab === "changes" && <ChangeList changes={changes} />}
      </div>
    </section>
  );
}

function ProblemList({ onShow }: { readonly onShow: (problem: LoadoutProblem) => void }): ReactElement {
  const { checked, apply, readOnly, loadout } = useEditor();
  if (checked.problems.length === 0)
    return (
      <p className={css("nothing status good")}>
        <Icon name="tick" />
        {`No problems in ${countedText(Object.keys(loadout.sockets).length, "socket")}.`}
      </p>
    );
  return (
    <ul>
      {checked.problems.map((problem) => {
        const { key, issue, path, quickFix: mend } = problem;
        const isBad = issue.severity === "error";
        return (
          <li key={key} className={css("problem")}>
            <span className={css(`status ${isBad ? "bad" : "rework"}`)}>
              <Icon name="warning" />
              {isBad ? "Error" : "Warning"}
            </span>
            <code className={css("secondary cut")}>{path}</code>
            <span className={css("problem-text")}>
              {asSentence(issue.message)}
              {issue.hint !== undefined && <span className={css("faint")}> {asSentence(issue.hint)}</span>}
            </span>
            <span className={css("row")}>
              {mend && readOnly === null && <Button onClick={() => apply(mend.label, mend.edit)}>{mend.label}</Button>}
              <Button
                off={graphPartOf(problem) ? null : "It belongs to no part of the graph"}
                onClick={() => onShow(problem)}
              >
                Show
              </Button>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function JsonEditor(): ReactElement {
  const { name, draft, type, readOnly } = useEditor();
  const { text, issues } = draft.history.present;
  return (
    <div className={css("json-view")}>
      <textarea
        className={css("code")}
        aria-label={`JSON of ${name}`}
        aria-invalid={issues.length > 0 || undefined}
        spellCheck={false}
        readOnly={readOnly !== null}
        value={text}
        onChange={(event) => type(event.target.value)}
        onBlur={() => closeUndoStep(name)}
      />
      <p className={css(issues.length > 0 ? "fault" : "faint")} role="status">
        {issues.length > 0
          ? `${asSentence(issues[0]?.message ?? "")} The graph shows the readable part.`
          : "Same as the graph."}
      </p>
    </div>
  );
}

const CHANGE_SIGNS = { added: "+", removed: "−", changed: "±" } as const;

export function ChangeList({ changes }: { readonly changes: readonly LoadoutChange[] }): ReactElement {
  if (changes.length === 0) return <p className={css("nothing faint")}>Nothing has changed.</p>;
  return (
    <ul className={css("changes")}>
      {changes.map(({ kind, what, text }, index) => (
        // The index is the key: changes may repeat.
        <li key={index} className={css(kind)}>
          <span aria-hidden="true">{CHANGE_SIGNS[kind]}</span>
          <span className={css("kind")}>{`${kind} ${what}`}</span>
          <span className={css("problem-text")}>{text}</span>
        </li>
      ))}
    </ul>
  );
}
