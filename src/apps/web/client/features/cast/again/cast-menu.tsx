import { useState, type ReactElement } from "react";
import { quoteWord } from "../../../../../../core/command/words.ts";
import { useCatalog } from "../../../data/use-catalog.ts";
import { useCommand } from "../../../data/use-command.ts";
import { navigate, hrefOf } from "../../../browser/route.ts";
import { Menu, type MenuItem } from "../../../parts/controls/menu.tsx";
import { copyText } from "../../../parts/controls/copy.tsx";
import type { CastPanelProps } from "../state/use-cast-view.ts";
import { CompareCastsDialog } from "./compare-casts-dialog.tsx";
import { ForkDialog, FORK_NOT_ON_FLEET } from "./fork-dialog.tsx";
import { RecordTestDialog } from "./record-dialog.tsx";

/** What leads on from a cast, whatever became of it. */
export function CastMenu({ cast, view }: CastPanelProps): ReactElement {
  const [dialog, setDialog] = useState<"again" | "record" | "compare" | null>(null);
  const { castId } = cast.castFile;
  const { fleet } = useCatalog();
  const command = useCommand();
  const [first] = view.allVisits;
  const close = (): void => setDialog(null);
  const { status } = view.latest;
  const unfinished = status === "running" || status === "aborted" || status === "interrupted";
  return (
    <>
      <Menu
        label="More"
        items={[
          {
            label: "Run again…",
            act: () => setDialog("again"),
            off: fleet !== null ? FORK_NOT_ON_FLEET : first ? null : "Nothing has run yet",
          },
          ...(fleet === null
            ? []
            : [{ label: "Take home as a branch", act: () => void command.run(takeCommandLine(castId, fleet), "Taken home") }]),
          {
            label: "Record as a test…",
            act: () => setDialog("record"),
            off: unfinished ? "Only what ran to its end can be recorded" : null,
          },
          { label: "Compare with…", act: () => setDialog("compare") },
          { label: "Find in this cast…", act: () => navigate(hrefOf("find", undefined, { cast: castId })) },
          { label: "Copy the link", act: () => void copyText(location.href, "the link") },
          ...notificationMenuItems(),
          { label: "Copy the cast id", act: () => void copyText(castId, "the cast id") },
        ]}
      />
      {dialog === "again" && first && <ForkDialog cast={cast} visit={first} onClose={close} />}
      {dialog === "record" && <RecordTestDialog castId={castId} onClose={close} />}
      {dialog === "compare" && <CompareCastsDialog cast={cast} onClose={close} />}
    </>
  );
}

function takeCommandLine(castId: string, fleet: string): string {
  return `take ${castId} --on ${quoteWord(fleet)}`;
}

/** The browser asks only when a person has asked for it; once answered, its own settings decide. */
function notificationMenuItems(): readonly MenuItem[] {
  if (typeof Notification === "undefined" || Notification.permission !== "default") return [];
  return [{ label: "Notify me about casts", act: () => void Notification.requestPermission() }];
}
