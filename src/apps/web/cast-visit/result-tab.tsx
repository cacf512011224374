import { useMemo, type ReactElement, type ReactNode } from "react";
import { castResult, type FinishedWork } from "../../../core/view/report/next-steps.ts";
import { castFileSpans, fileCountsText } from "../../../core/view/file-changes.ts";
import { amountText, costText, durationText, itemsDoneText } from "../../../core/view/numbers.ts";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { getChanges } from "../net/api.ts";
import { bindSheets } from "../ui/classes.ts";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { useFetched } from "../data/use-fetched.ts";
import readerSheet from "./visit.module.css";
import { CopyButton } from "../ui/toasts.tsx";

const css = bindSheets(readerSheet);

/** [W44] What a finished cast brought. */
export function ResultTab({ cast, view, onFiles }: CastPanelProps & { readonly onFiles: () => void }): ReactElement {
  const { replay, castFile } = cast;
  const lastSeq = replay.lastSeq();
  const inItems = useMemo(
    () => [...view.itemVisits.values()].flatMap((all) => all.map(({ visit }) => visit)),
    [view.itemVisits],
  );
  const result = useMemo(
    () => castResult(replay.timelineAt(lastSeq).state, replay.events(), [...view.allVisits, ...inItems]),
    [replay, lastSeq, view.allVisits, inItems],
  );
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
      <ResultFacts cast={cast} view={view} result={result} onFiles={onFiles} />
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
  return (
    <dl className={css("result-facts")}>
      <ChangedFilesFact cast={cast} view={view} onFiles={onFiles} />
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

function ChangedFilesFact({ cast, onFiles }: CastPanelProps & { readonly onFiles: () => void }): ReactElement | null {
  const { castId } = cast.castFile;
  const lastSeq = cast.replay.lastSeq();
  const spans = useMemo(() => castFileSpans(cast.replay.events()), [cast.replay, lastSeq]);
  const isChanged = spans.kind === "kept" && spans.whole.from !== spans.whole.to;
  const asked = useFetched(isChanged ? `${castId} ${spans.whole.to}` : null, castId, (signal) =>
    getChanges(castId, null, signal),
  );
  if (spans.kind === "none") return null;
  if (!isChanged) return <Fact name="Files">No file changed</Fact>;
  return (
    <Fact name="Files">
      <button type="button" className={css("text-button")} onClick={onFiles}>
        {asked.kind === "loaded" ? fileCountsText(asked.value) : "Show the files"}
      </button>
    </Fact>
  );
}
