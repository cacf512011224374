import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastStep } from "../../../core/cast/step.ts";
import { oneLine } from "../../../core/model/values/text.ts";
import { titleText } from "../../../core/view/tell/handed.ts";

/** What became of one item of the list that was walked last. */
export interface ItemLog {
  readonly title: string;
  readonly how: "done" | "given_up";
  /** The last words of who worked on it; what was only judged is not told. */
  readonly said: string;
}

export interface ItemLogs {
  readonly follow: (step: CastStep) => void;
  readonly all: () => readonly ItemLog[];
}

/** [X11] The items of a cast as they come to their end. */
export function createItemLogs(): ItemLogs {
  let tales = new Map<number, ItemLog>();
  const titles = new Map<number, string>();
  let said = "";
  const tell = (index: number, tale: ItemLog): void => void tales.set(index, tale);
  return {
    all: () => [...tales].toSorted(([a], [b]) => a - b).map(([, tale]) => tale),
    follow: ({ event, before }) => {
      if (event.type === "loop_entered") [tales, said] = [new Map(), ""];
      said = workText(event) ?? said;
      if (event.type === "item_started") titles.set(event.index, event.title);
      if (event.type === "item_ended" && event.advanced !== null) {
        const how = event.gaveUp === undefined ? "done" : "given_up";
        tell(event.index, { title: titles.get(event.index) ?? "", how, said: event.handed?.text ?? "" });
      }
      if (event.type !== "cursor_advanced" || before.pass === null) return;
      const { cursor, items } = before.pass;
      const gaveUp = before.phase.kind === "leaving" && before.phase.gaveUp;
      tell(cursor, { title: items[cursor]?.title ?? "", how: gaveUp ? "given_up" : "done", said });
      said = "";
    },
  };
}

/** What somebody said of their work; a verdict says nothing of it. */
function workText(event: CastEvent): string | undefined {
  if (event.type === "output_accepted") return event.text;
  if (event.type !== "handoff_accepted" || typeof event.handoff["satisfied"] === "boolean") return undefined;
  const { context } = event.handoff;
  return typeof context === "string" && context.trim() !== "" ? context : undefined;
}

const ITEM_MARKS = { done: "✓", given_up: "✗ given up:" } as const;

/** As a list in Markdown, which reads well as it stands, too. */
export function itemLogsText(tales: readonly ItemLog[]): string {
  return tales
    .map(({ title, how, said }, at) => {
      const words = oneLine(said.trim(), 200);
      return `${at + 1}. ${ITEM_MARKS[how]} **${titleText(title, 120)}**${words === "" ? "" : `: ${words}`}`;
    })
    .join("\n");
}
