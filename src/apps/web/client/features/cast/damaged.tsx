import { useState, type ReactElement } from "react";
import * as v from "valibot";
import type { Issue } from "../../../../../core/model/issue.ts";
import { navigate, hrefOf } from "../../browser/route.ts";
import { fetchCommandOutput } from "../../net/api.ts";
import { Button } from "../../parts/controls/button.tsx";
import { toast } from "../../parts/controls/toasts.tsx";
import { IssueList } from "../../parts/marks/issues.tsx";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";

const damagedCss = bindClassNames(baseSheet);

const SalvagedCast = v.object({ castId: v.string() });

/** [W21] A damaged cast leads on: what of it is sound becomes a new cast, as `doctor --salvage` makes it. */
export function DamagedCastNotice({
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
    const answer = await fetchCommandOutput(`doctor ${id} --salvage`, SalvagedCast);
    setBusy(false);
    if (!answer.ok) return setRefused(answer.issues);
    toast({ text: "What is sound of it is a cast of its own now. The damaged one is left as it is.", tone: "ok" });
    return navigate(hrefOf("casts", answer.value.castId));
  };
  return (
    <>
      <div className={damagedCss("row wrap")}>
        <Button busy={busy} onClick={() => void salvage()}>
          Save what is sound as a new cast
        </Button>
      </div>
      <IssueList issues={refused} />
    </>
  );
}
