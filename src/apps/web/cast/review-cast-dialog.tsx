import { useState, type ReactElement } from "react";
import type { TypedCommand } from "../../../core/wire/commands.ts";
import { sendBack } from "../../../core/view/report/next-steps.ts";
import { hrefOf, navigate } from "../browser/route.ts";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { ReviewDialog } from "../cast-visit/answer-form.tsx";
import { useCatalog } from "../data/use-catalog.ts";
import { useCommand } from "../data/use-command.ts";
import { Button } from "../ui/buttons.tsx";
import { css } from "../ui/classes.ts";
import { LabelledField, TextArea } from "../ui/fields.tsx";
import { IssueList } from "../ui/issues.tsx";

/** [YW1] The result of an ended cast, like a pull request. */
export function ReviewCastDialog(props: CastPanelProps & { readonly onClose: () => void }): ReactElement {
  return (
    <ReviewDialog {...props} title="Review" question={null}>
      {(comments, clear) => <ReviewDecision {...props} comments={comments} onSent={clear} />}
    </ReviewDialog>
  );
}

type ReviewDecisionProps = CastPanelProps & {
  readonly comments: string;
  readonly onSent: () => void;
  readonly onClose: () => void;
};

/** [YW2] The words and comments go back to the builder, in a new cast. */
function ReviewDecision(props: ReviewDecisionProps): ReactElement {
  const { cast, view, comments, onSent, onClose } = props;
  const { castId, request, graph } = cast.castFile;
  const [said, setSaid] = useTextDraft(`review ${castId}`);
  const { fleet } = useCatalog();
  const command = useCommand({ quiet: true });
  const { isTreeInUse } = command;
  const words = [said.trim(), comments].filter((part) => part !== "").join("\n\n");
  const sent = sendBack({ castId, request, graph, visits: view.allVisits }, words);
  const send = async (): Promise<void> => {
    if (!sent || words === "") return;
    const options = isTreeInUse ? { anyway: true as const } : {};
    const started = await command.run(sent.command, "Sent back", { options, trust: command.isForeign });
    if (started === null) return;
    setSaid("");
    onSent();
    onClose();
    navigate(hrefOf("casts", started));
  };
  return (
    <>
      {sent && fleet === null && (
        <form
          className={css("option")}
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <LabelledField label="What must change">
            <TextArea value={said} onType={setSaid} />
          </LabelledField>
          <p className={css("secondary")}>
            {`${sent.builder} continues with this in a new cast. Everything before is reused.`}
          </p>
          <IssueList issues={command.issues} />
          <Button
            type="submit"
            busy={command.busy !== null}
            off={words === "" ? "Write a comment on a line, or what must change" : null}
          >
            {command.isForeign ? "Trust this cast and send it back" : isTreeInUse ? "Send back anyway" : "Send back"}
          </Button>
        </form>
      )}
      <TakeButtons {...props} />
    </>
  );
}

const TAKEN_AS = {
  take: { label: "Take", done: "The work is on its branch" },
  merge: { label: "Merge", done: "Merged into your current branch" },
  pr: { label: "Open a pull request", done: "The pull request is open" },
} as const;

/** [YW3] Brings the work of a separate working tree home. */
function TakeButtons({ cast, onClose }: ReviewDecisionProps): ReactElement | null {
  const { castId } = cast.castFile;
  const { branch } = cast.replay.timelineAt(cast.replay.lastSeq()).state;
  const { fleet } = useCatalog();
  const command = useCommand({ quiet: true });
  const [printed, setPrinted] = useState<string | null>(null);
  if (branch === undefined && fleet === null)
    return <p className={css("secondary")}>This cast worked in your own files: the change is there already.</p>;
  const take = async (as: keyof typeof TAKEN_AS): Promise<void> => {
    const taking: TypedCommand = { kind: "take", castId, ...(as === "take" ? {} : { as }) };
    if ((await command.run(taking, "")) !== null) setPrinted(TAKEN_AS[as].done);
  };
  return (
    <div className={css("option")} role="group" aria-label="Take the work">
      <span className={css("label")}>{`Work on the branch ${branch ?? "of the fleet"}`}</span>
      <div className={css("row wrap")}>
        {(["merge", "pr", "take"] as const).map((as) => (
          <Button
            key={as}
            look={as === "merge" ? "primary" : "plain"}
            busy={command.busy?.kind === "take" && (command.busy.as ?? "take") === as}
            onClick={() => void take(as)}
          >
            {TAKEN_AS[as].label}
          </Button>
        ))}
      </div>
      <IssueList issues={command.issues} />
      {printed !== null && (
        <p role="status">
          {`${printed}. `}
          <Button onClick={onClose}>Done</Button>
        </p>
      )}
    </div>
  );
}
