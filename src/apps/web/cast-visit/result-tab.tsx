import { useMemo, type ReactElement, type ReactNode } from "react";
import { castResult, type FinishedWork } from "../../../core/view/report/next-steps.ts";
import { fileCountsText } from "../../../core/view/file-changes.ts";
import { amountText, costText, durationText, itemsDoneText } from "../../../core/view/numbers.ts";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { useFileSpans } from "./files-tab.tsx";
import { getChanges } from "../net/api.ts";
import { bindSheets } from "../ui/classes.ts";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { useFetched } from "../data/use-fetched.ts";
import readerSheet from "./visit.module.css";
import { CopyButton } from "../ui/toasts.tsx";

const css = bindSheets(readerSheet);

/** [W44] What a finished cast brought. */
export function ResultTab(props: CastPanelProps & { readonly onFiles: () => void }): ReactElement {
  const { cast, view } = props;
  const { replay, castFile } = cast;
  const lastSeq = replay.lastSeq();
  const result = useMemo(() => {
    const inItems = [...view.itemVisits.values()].flat().map(({ visit }) => visit);
    return castResult(replay.timelineAt(lastSeq).state, replay.events(), [...view.allVisits, ...inItems]);
  }, [replay, lastSeq, view.allVisits, view.itemVisits]);
  return (
    <div className={css("output result")} tabIndex={0} role="region" aria-label="Result">
      {result.words === "" ? (
        <p className={css("faint")}>The cast left no report.</p>
      ) : (
        <Markdown text={result.words} />
      )}
      {result.openPoints.length > 0 && (
        <div className={css("note rework")}>
          <b>Open points</b>
          <ul>
            {result.openPoints.map((point) => (
              <li key={point} dir="auto">
                {point}
              </li>
            ))}
          </ul>
        </div>
      )}
      <ResultFacts {...props} result={result} />
      <h3>Try it</h3>
      <ul className={css("try-commands")}>
        {[...result.commands, `materia show ${castFile.castId}`].map((command) => (
          <li key={command} className={css("command")}>
            <code className={css("breakable")}>{command}</code>
            <CopyButton text={command} what="the command" />
          </li>
        ))}
      </ul>
    </div>
  );
}

function ResultFacts(
  props: CastPanelProps & { readonly result: FinishedWork; readonly onFiles: () => void },
): ReactElement {
  const { cast, view, result, onFiles } = props;
  const board = view.latest;
  const { castId } = cast.castFile;
  const spans = useFileSpans(cast);
  const changed = spans.kind === "kept" && spans.whole.from !== spans.whole.to ? `${castId} ${spans.whole.to}` : null;
  const asked = useFetched(changed, castId, (signal) => getChanges(castId, null, signal));
  return (
    <dl className={css("result-facts")}>
      {spans.kind === "kept" && (
        <Fact name="Files">
          {changed === null ? (
            "No file changed"
          ) : (
            <button type="button" className={css("text-button")} onClick={onFiles}>
              {asked.kind === "loaded" ? fileCountsText(asked.value) : "Show the files"}
            </button>
          )}
        </Fact>
      )}
      {result.branch !== null && (
        <Fact name="Branch">
          <code className={css("breakable")}>{result.branch}</code>
        </Fact>
      )}
      {board.items.total > 0 && <Fact name="Items">{itemsDoneText(board.items)}</Fact>}
      {result.gates.length > 0 && (
        <Fact name="Passed">
          <span className={css("row wrap")}>
            {result.gates.map(({ materia, times }) => (
              <span key={materia} className={css("status good light")}>
                <Icon name="tick" />
                {times === 1 ? materia : `${materia} ${times}×`}
              </span>
            ))}
          </span>
        </Fact>
      )}
      <Fact name="Time">{durationText(board.elapsedMs)}</Fact>
      <Fact name="Cost">{`${costText(board.cost)} · ${amountText(board.tokens)} tokens`}</Fact>
      {result.models.length > 0 && (
        <Fact name={result.models.length === 1 ? "Model" : "Models"}>{result.models.join(", ")}</Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
