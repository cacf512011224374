import { useState, type ReactElement } from "react";
import * as v from "valibot";
import type { Issue } from "../../../../../core/model/issue.ts";
import { go, hrefOf } from "../../browser/route.ts";
import { askCommand } from "../../net/api.ts";
import { Button } from "../../parts/controls/button.tsx";
import { toast } from "../../parts/controls/toasts.tsx";
import { Issues } from "../../parts/marks/issues.tsx";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";

const css = classesOf(baseSheet);

const Salvaged = v.object({ castId: v.string() });

/** [W21] A damaged cast leads on: what of it is sound becomes a new cast, as `doctor --salvage` makes it. */
export function Damaged({
  id,
  issues,
}: {
  readonly id: string;
  readonly issues: readonly Issue[];
}): ReactElement | null {
  const [refused, setRefused] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  if (!issues.some(({ code }) => code === "damaged_journal")) return null;
  const salvage = async (): Promise<void> => {
    setBusy(true);
    const answer = await askCommand(`doctor ${id} --salvage`, Salvaged);
    setBusy(false);
    if (!answer.ok) return setRefused(answer.issues);
    toast({ text: "What is sound of it is a cast of its own now. The damaged one is left as it is.", tone: "ok" });
    return go(hrefOf("casts", answer.value.castId));
  };
  return (
    <>
      <div className={css("row wrap")}>
        <Button busy={busy} onClick={() => void salvage()}>
          Save what is sound as a new cast
        </Button>
      </div>
      <Issues issues={refused} />
    </>
  );
}
