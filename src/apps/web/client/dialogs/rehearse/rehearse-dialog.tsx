import { useState, type ReactElement } from "react";
import type { Graph } from "../../../../../core/compile/graph.ts";
import type { RehearsalRequest } from "../../../../../core/wire/commands.ts";
import { navigate, hrefOf } from "../../browser/route.ts";
import { ConfirmDialog } from "../../parts/controls/dialog.tsx";
import { SegmentedControl, TextField } from "../../parts/controls/fields.tsx";
import { IssueList } from "../../parts/marks/issues.tsx";
import { RequestField } from "../request-field.tsx";
import { ReplySourceField } from "./earlier-cast.tsx";
import { SocketReplies } from "./socket-replies.tsx";
import { useStartRehearsal } from "./use-begin.ts";
import { useRehearsalReplies, type RehearsalReplies } from "./use-replies.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import fieldsSheet from "../../parts/controls/fields.module.css";

const css = bindClassNames(fieldsSheet, controlsSheet, marksSheet, baseSheet);

/** [E30] A cast without a model: what each socket answers, made up, filled in, or taken from an earlier cast. */
export function RehearseDialog(props: {
  readonly title: string;
  readonly graph: Graph;
  readonly target: Pick<RehearsalRequest, "loadout" | "targets" | "draft">;
  readonly request?: string;
  /** Why it would not run what is shown. */
  readonly warning?: string | null;
  /** Where it is played; without it the cast is gone to. */
  readonly onBegun?: (castId: string) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { title, graph, target, warning = null, onClose } = props;
  const { onBegun = (castId: string) => navigate(hrefOf("casts", castId)) } = props;
  const [prompt, setPrompt] = useState(props.request ?? "Rehearse it");
  const [onEmpty, setOnEmpty] = useState<OnEmpty>("repeat-last");
  const replies = useRehearsalReplies(graph);
  const { begin, busy, issues } = useStartRehearsal((castId) => {
    onClose();
    onBegun(castId);
  });
  const { fault } = replies;
  return (
    <ConfirmDialog
      title={title}
      action="Rehearse"
      busy={busy}
      off={prompt.trim() === "" ? "Write a request first" : fault}
      onClose={onClose}
      onAct={() => void begin({ ...target, prompt, replies: replies.buildReplies(), onEmpty })}
    >
      {warning !== null && <p className={css("note rework")}>{warning}</p>}
      <IssueList issues={issues} />
      <RequestField value={prompt} onType={setPrompt} />
      <ReplyOptions loadout={target.loadout ?? null} replies={replies} onEmpty={onEmpty} setOnEmpty={setOnEmpty} />
      <IssueList issues={replies.issues} />
      {replies.sockets.length === 0 && (
        <p className={css("faint")}>No agent stands in this graph, so no replies are needed.</p>
      )}
      {replies.sockets.map((each) => (
        <SocketReplies
          key={each.socket}
          given={each}
          seated={graph.materia[each.materia]}
          onChange={(answers) => replies.change(each.socket, answers)}
        />
      ))}
    </ConfirmDialog>
  );
}

type OnEmpty = "repeat-last" | "fail";

/** Whose replies it begins with, and what follows the last of them. */
function ReplyOptions(props: {
  readonly loadout: string | null;
  readonly replies: RehearsalReplies;
  readonly onEmpty: OnEmpty;
  readonly setOnEmpty: (value: OnEmpty) => void;
}): ReactElement {
  const { loadout, replies, onEmpty, setOnEmpty } = props;
  return (
    <div className={css("row wrap")}>
      <ReplySourceField loadout={loadout} value={replies.sourceCastId} onPick={replies.loadFromCast} />
      <span className={css("secondary")}>Work items</span>
      <TextField label="Work items" className={css("limit")} numeric value={replies.items} onType={replies.setItems} />
      <span className={css("secondary")}>When replies run out</span>
      <SegmentedControl<OnEmpty>
        label="When replies run out"
        value={onEmpty}
        options={[
          { value: "repeat-last", label: "repeat the last" },
          { value: "fail", label: "fail" },
        ]}
        onPick={setOnEmpty}
      />
    </div>
  );
}
