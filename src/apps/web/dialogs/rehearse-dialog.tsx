import { useState, type ReactElement } from "react";
import type { Graph } from "../../../core/compile/graph.ts";
import type { RehearsalRequest } from "../../../core/wire/commands.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { SegmentedControl, TextField, Select } from "../ui/fields.tsx";
import { IssueList } from "../ui/issues.tsx";
import { RequestField } from "./cast-fields.tsx";
import { SocketReplyFields, useRehearsalReplies } from "./rehearse-replies.tsx";
import { css } from "../ui/classes.ts";
import { truncate } from "../../../core/model/text.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { startRehearsal } from "../net/api.ts";
import { sendAndAskTrust } from "../data/use-catalog.ts";

/** [E30] Rehearses without a model: replies are generated, typed or taken from an earlier cast. */
export function RehearseDialog(props: {
  readonly title: string;
  readonly graph: Graph;
  readonly target: Pick<RehearsalRequest, "loadout" | "targets" | "draft">;
  readonly request?: string;
  /** A warning when the rehearsal differs from the shown graph. */
  readonly warning?: string | null;
  /** Called with the cast; by default the page of the cast opens. */
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
  return (
    <ConfirmDialog
      title={title}
      action="Rehearse"
      busy={busy}
      off={prompt.trim() === "" ? "Write a request first" : null}
      onClose={onClose}
      onAct={() => void begin({ ...target, prompt, replies: replies.buildReplies(), onEmpty })}
    >
      {warning !== null && <p className={css("note rework")}>{warning}</p>}
      <IssueList issues={issues} />
      <RequestField value={prompt} onType={setPrompt} />
      <ReplyOptions loadout={target.loadout} replies={replies} onEmpty={onEmpty} setOnEmpty={setOnEmpty} />
      <IssueList issues={replies.issues} />
      {replies.sockets.length === 0 && (
        <p className={css("faint")}>No agent stands in this graph, so no replies are needed.</p>
      )}
      {replies.sockets.map((each) => (
        <SocketReplyFields
          key={each.socket}
          given={each}
          seated={graph.materia[each.materia]}
          onChange={(changed) => replies.change(each.socket, changed)}
        />
      ))}
    </ConfirmDialog>
  );
}

type OnEmpty = "repeat-last" | "fail";

const MAX_OFFERED_CASTS = 30;

/** The source of the replies, and what follows the last one. Casts of the same loadout come first. */
function ReplyOptions(props: {
  readonly loadout: string | undefined;
  readonly replies: ReturnType<typeof useRehearsalReplies>;
  readonly onEmpty: OnEmpty;
  readonly setOnEmpty: (value: OnEmpty) => void;
}): ReactElement {
  const { loadout, replies, onEmpty, setOnEmpty } = props;
  const { casts } = useCasts();
  const offered = casts
    .toSorted((a, b) => Number(b.loadout === loadout) - Number(a.loadout === loadout))
    .slice(0, MAX_OFFERED_CASTS)
    .map((cast) => ({
      value: cast.castId,
      label: `of ${cast.loadout}: ${truncate(cast.request, 40)} (${cast.castId})`,
    }));
  return (
    <div className={css("row wrap")}>
      <span className={css("secondary")}>Replies</span>
      <Select
        label="Replies from"
        value={replies.sourceCastId ?? ""}
        options={[{ value: "", label: "generated" }, ...offered]}
        onPick={(castId) => replies.loadFromCast(castId || null)}
      />
      <span className={css("secondary")}>Work items</span>
      <TextField label="Work items" className={css("limit")} numeric value={replies.items} onType={replies.setItems} />
      <span className={css("secondary")}>When replies run out</span>
      <SegmentedControl<OnEmpty>
        label="When replies run out"
        value={onEmpty}
        options={{ "repeat-last": "repeat the last", fail: "fail" }}
        onPick={setOnEmpty}
      />
    </div>
  );
}

export function useStartRehearsal(onBegun: (castId: string) => void) {
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const begin = async (body: RehearsalRequest): Promise<void> => {
    setBusy(true);
    const answer = await sendAndAskTrust((trust) => startRehearsal({ ...body, ...(trust ? { trust } : {}) }));
    setBusy(false);
    if (answer.ok && "castId" in answer.value) onBegun(answer.value.castId);
    else setIssues(answer.ok ? [] : answer.issues);
  };
  return { begin, busy, issues };
}
