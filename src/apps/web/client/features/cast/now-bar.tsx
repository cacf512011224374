import type { ReactElement } from "react";
import { placeWords, visitWords } from "../../../../../core/view/now/board.ts";
import { Button } from "../../parts/controls/button.tsx";
import { Orb } from "../../parts/marks/orb.tsx";
import type { CastPartProps } from "./state/use-cast-view.ts";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import castSheet from "./cast.module.css";

const css = classesOf(castSheet, baseSheet);

/** Where the cast is, above the bottom bar of a small screen. */
export function NowBar({ cast, view, onOpen }: CastPartProps & { readonly onOpen: () => void }): ReactElement | null {
  const { position, status } = view.latest;
  if (!position || (status !== "running" && status !== "waiting")) return null;
  return (
    <div className={css(`now-bar ${status === "waiting" ? "waits" : ""}`)}>
      <Orb materia={cast.castFile.graph.materia[position.materia]} />
      <div className={css("grow")}>
        <b>{placeWords(position)}</b> <span className={css("secondary")}>{visitWords(position)}</span>
        <div className={css("secondary cut")}>{status === "waiting" ? "waiting for you" : cast.progress.doing()}</div>
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
