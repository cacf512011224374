import type { ReactElement } from "react";
import { truncate } from "../../../../../core/model/values/text.ts";
import { useCasts } from "../../data/use-casts.ts";
import { Select } from "../../parts/controls/fields.tsx";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";

const replySourceCss = bindClassNames(baseSheet);

const MAX_OFFERED_CASTS = 30;

/** Whose replies are begun with: made-up ones, or those of a cast that happened, casts of the same loadout first. */
export function ReplySourceField(props: {
  readonly loadout: string | null;
  readonly value: string | null;
  readonly onPick: (castId: string | null) => void;
}): ReactElement {
  const { loadout, value, onPick } = props;
  const { casts } = useCasts();
  const own = casts.filter((cast) => cast.loadout === loadout);
  const offered = [...own, ...casts.filter((cast) => cast.loadout !== loadout)].slice(0, MAX_OFFERED_CASTS);
  return (
    <>
      <span className={replySourceCss("secondary")}>Replies</span>
      <Select
        label="Replies from"
        value={value ?? ""}
        options={[
          { value: "", label: "made up" },
          ...offered.map((cast) => ({
            value: cast.castId,
            label: `of ${cast.loadout}: ${truncate(cast.request, 40)} (${cast.castId})`,
          })),
        ]}
        onPick={(castId) => onPick(castId === "" ? null : castId)}
      />
    </>
  );
}
