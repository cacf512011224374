import type { ReactElement } from "react";
import { Button } from "../../parts/controls/button.tsx";
import { Icon } from "../../parts/marks/icon.tsx";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import saveSheet from "./save.module.css";

const conflictBarCss = bindClassNames(saveSheet, baseSheet);

/** [E24] Said as soon as it happens, not only when it is too late to save. */
export function FileConflictBar({
  name,
  onCompare,
}: {
  readonly name: string;
  readonly onCompare: () => void;
}): ReactElement {
  return (
    <div className={conflictBarCss("outdated")} role="status">
      <Icon name="warning" />
      <span
        className={conflictBarCss("grow")}
      >{`${name} was changed in its file while you edit it. Nothing of yours is lost.`}</span>
      <Button onClick={onCompare}>Compare and choose…</Button>
    </div>
  );
}
