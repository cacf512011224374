import type { ReactElement } from "react";
import { cut } from "../../../../../core/model/values/text.ts";
import { useCasts } from "../../data/use-casts.ts";
import { Pick } from "../../parts/controls/fields.tsx";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";

const css = classesOf(baseSheet);

const MOST = 30;

/** Whose replies are begun with: made-up ones, or those of a cast that happened, casts of the same loadout first. */
export function EarlierCast(props: {
  readonly loadout: string | null;
  readonly value: string | null;
  readonly onPick: (castId: string | null) => void;
}): ReactElement {
  const { loadout, value, onPick } = props;
  const { casts } = useCasts();
  const own = casts.filter((cast) => cast.loadout === loadout);
  const offered = [...own, ...casts.filter((cast) => cast.loadout !== loadout)].slice(0, MOST);
  return (
    <>
      <span className={css("secondary")}>Replies</span>
      <Pick
        label="Replies from"
        value={value ?? ""}
        options={[
          { value: "", label: "made up" },
          ...offered.map((cast) => ({
            value: cast.castId,
            label: `of ${cast.loadout}: ${cut(cast.request, 40)} (${cast.castId})`,
          })),
        ]}
        onPick={(castId) => onPick(castId === "" ? null : castId)}
      />
    </>
  );
}
