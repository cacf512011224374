import { useId, useState, type ReactElement, type RefObject } from "react";
import { GraphLegend } from "../../../graph/legend.tsx";
import type { GraphHandle } from "../../../graph/frame/use-handle.ts";
import { useKeysOutsideDialogs } from "../../../browser/keys.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { Icon } from "../../../parts/marks/icon.tsx";
import { useEditor } from "../state/editor.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import controlsSheet from "../../../parts/controls/controls.module.css";
import editorSheet from "../look/editor.module.css";

const belowCanvasCss = bindClassNames(editorSheet, controlsSheet);

/** Zoom, a way to every socket, and what the lines mean: beside the graph, never on it. */
export function CanvasFooter({ handle }: { readonly handle: RefObject<GraphHandle | null> }): ReactElement {
  return (
    <div className={belowCanvasCss("below-canvas")}>
      <div className={belowCanvasCss("zoom")} role="group" aria-label="Zoom">
        <Button look="bare" label="Zoom out" className={belowCanvasCss("icon-only")} onClick={() => handle.current?.zoom(1 / 1.2)}>
          −
        </Button>
        <Button look="bare" onClick={() => handle.current?.fit()}>
          Fit
        </Button>
        <Button look="bare" label="Zoom in" className={belowCanvasCss("icon-only")} onClick={() => handle.current?.zoom(1.2)}>
          +
        </Button>
      </div>
      <FindSocketField handle={handle} />
      <GraphLegend />
    </div>
  );
}

/** [E28] A few letters of its id or its materia lead to a socket; Enter goes to the next that matches. */
function FindSocketField({ handle }: { readonly handle: RefObject<GraphHandle | null> }): ReactElement {
  const { loadout, select } = useEditor();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const field = useId();
  useKeysOutsideDialogs({ f: () => document.getElementById(field)?.focus() });
  const sought = text.trim().toLowerCase();
  const found = Object.entries(loadout.sockets).filter(([id, { materia }]) =>
    `${id} ${materia}`.toLowerCase().includes(sought),
  );
  const go = (index: number): void => {
    const id = found[index % Math.max(1, found.length)]?.[0];
    if (sought === "" || id === undefined) return;
    select({ kind: "socket", id });
    handle.current?.center(id);
    setAt(index + 1);
  };
  return (
    <label className={belowCanvasCss("field find-socket")}>
      <Icon name="search" />
      <input
        id={field}
        placeholder="Find a socket"
        aria-label="Find a socket"
        aria-keyshortcuts="f"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(at);
        }}
      />
      {sought !== "" && <span role="status">{found.length === 0 ? "none" : `${found.length}`}</span>}
    </label>
  );
}
