import type { ReactElement } from "react";
import { clockText } from "../../../../../core/view/numbers.ts";
import { Button } from "../../parts/controls/button.tsx";
import { Orb } from "../../parts/marks/orb.tsx";
import type { CastPartProps } from "./state/use-cast-view.ts";

/** Where the cast is, above the bottom bar of a small screen. */
export function NowBar({ cast, view, onOpen }: CastPartProps & { readonly onOpen: () => void }): ReactElement | null {
  const { position, status } = view.latest;
  if (!position || (status !== "running" && status !== "waiting")) return null;
  return (
    <div className={`nowbar ${status}`}>
      <Orb materia={cast.castFile.graph.materia[position.materia]} />
      <div className="grow">
        <b>{position.materia}</b> <span className="sub">{`visit ${position.visit} · ${clockText(position.ms)}`}</span>
        <div className="sub cut">{status === "waiting" ? "waiting for you" : cast.progress.doing()}</div>
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
