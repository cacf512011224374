import type { ReactElement } from "react";
import { positionName, positionText } from "../../../../../core/view/now/board.ts";
import { Button } from "../../parts/controls/button.tsx";
import { MateriaIcon } from "../../parts/marks/orb.tsx";
import type { CastPanelProps } from "./state/use-cast-view.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import castSheet from "./cast.module.css";

const nowBarCss = bindClassNames(castSheet, baseSheet);

/** Where the cast is, above the bottom bar of a small screen. */
export function CurrentVisitBar({ cast, view, onOpen }: CastPanelProps & { readonly onOpen: () => void }): ReactElement | null {
  const { position, status } = view.latest;
  if (!position || (status !== "running" && status !== "waiting")) return null;
  return (
    <div className={nowBarCss(`now-bar ${status === "waiting" ? "waits" : ""}`)}>
      <MateriaIcon materia={cast.castFile.graph.materia[position.materia]} />
      <div className={nowBarCss("grow")}>
        <b>{positionName(position)}</b> <span className={nowBarCss("secondary")}>{positionText(position)}</span>
        <div className={nowBarCss("secondary cut")}>{status === "waiting" ? "waiting for you" : cast.progress.activityText()}</div>
      </div>
      <Button
        onClick={() => {
          view.goLive();
          onOpen();
        }}
      >
        Open
      </Button>
    </div>
  );
}
