import { useEffect, useRef, type ReactElement, type RefObject } from "react";
import type { GraphHandle } from "../../../graph/frame/use-handle.ts";
import { useEditor } from "../state/editor.ts";
import { RehearsalCanvas } from "./play-canvas.tsx";
import { RehearsalPanel } from "./play-panel.tsx";
import { useRehearsalPlayback } from "./use-play.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import editorSheet from "../look/editor.module.css";
import workbenchSheet from "../../../parts/controls/workbench.module.css";

const css = bindClassNames(editorSheet, workbenchSheet);

/** [E30] A rehearsal in the place of what was rehearsed; an edit leads back to it. */
export function RehearsalPlayer(props: {
  readonly castId: string;
  readonly handle: RefObject<GraphHandle | null>;
  readonly onClose: () => void;
}): ReactElement {
  const { castId, handle, onClose } = props;
  const play = useRehearsalPlayback(castId, onClose);
  const { work } = useEditor();
  const rehearsed = useRef(work.history.present);
  useEffect(() => {
    if (work.history.present !== rehearsed.current) onClose();
  }, [work.history.present]);
  return (
    <>
      {/* First, so that it stands above the graph where there is no room beside it. */}
      <aside className={css("inspector")} aria-label="Inspector">
        <RehearsalPanel play={play} onClose={onClose} />
      </aside>
      {play.castFile ? (
        <RehearsalCanvas play={play} castFile={play.castFile} handle={handle} />
      ) : (
        <div data-canvas className={css("canvas")} />
      )}
    </>
  );
}
