import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import * as v from "valibot";
import { parseJson } from "../../../core/model/json.ts";
import { useStoredText } from "../browser/store.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { rowActionOf, type CastAction } from "../../../core/view/cast-actions.ts";
import { useKeys } from "../browser/keyboard.ts";
import { hrefOf, navigate } from "../browser/route.ts";
import { useCommand } from "../data/use-command.ts";
import { deleteCast } from "../net/api.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { toast } from "../ui/toasts.tsx";

const AbortDialog = lazyPart(async () => (await import("../dialogs/confirm-cast-dialogs.tsx")).AbortDialog);
const TrustCastDialog = lazyPart(async () => (await import("../dialogs/confirm-cast-dialogs.tsx")).TrustCastDialog);

export type RowAction = CastAction | "archive" | "delete";

/** A deletion waits this long for an undo. */
const DELETE_AFTER_MS = 6_000;

/** [W43, W46] What the actions of rows do. Dialogs of a cast open on its page. */
export function useRowActions() {
  const [aborting, setAborting] = useState<CastSummary | null>(null);
  const [resuming, setResuming] = useState<CastSummary | null>(null);
  const [archived, setArchived] = useStoredIds("materia-archived-casts", NO_IDS);
  const [deleting, setDeleting] = useState<ReadonlySet<string>>(NO_IDS);
  const command = useCommand();
  const resume = async (cast: CastSummary): Promise<void> => {
    if ((await command.run({ kind: "recast", castId: cast.castId }, "The cast continues")) === null) setResuming(cast);
  };
  const archive = ({ castId }: CastSummary): void => {
    const isArchived = archived.has(castId);
    const text = isArchived ? "The cast is in the list again." : "The cast is archived.";
    setArchived(isArchived ? without(archived, castId) : added(archived, castId));
    toast({ text, action: { label: "Undo", act: () => setArchived(archived) } });
  };
  const erase = ({ castId }: CastSummary): void => {
    setDeleting((before) => added(before, castId));
    const undo = (): void => setDeleting((before) => without(before, castId));
    const remove = async (): Promise<void> => {
      const answer = await deleteCast(castId);
      if (answer.ok) return;
      undo();
      for (const { message } of answer.issues) toast({ text: message, tone: "bad" });
    };
    const timer = setTimeout(() => void remove(), DELETE_AFTER_MS);
    const act = (): void => {
      clearTimeout(timer);
      undo();
    };
    toast({ text: "The cast is deleted in a moment.", action: { label: "Undo", act } });
  };
  const act = (cast: CastSummary, action: RowAction): void => {
    if (action === "abort") setAborting(cast);
    else if (action === "resume") void resume(cast);
    else if (action === "archive") archive(cast);
    else if (action === "delete") erase(cast);
    else if (action === "take") void command.run({ kind: "take", castId: cast.castId }, "The work is on its branch");
    else navigate(hrefOf("casts", cast.castId, cast.status === "failed" ? {} : { do: action }));
  };
  const dialog = (
    <>
      {resuming && command.isForeign && (
        <TrustCastDialog
          resuming={{ kind: "recast", castId: resuming.castId }}
          issues={command.issues}
          onClose={() => setResuming(null)}
        />
      )}
      {aborting && (
        <AbortDialog castId={aborting.castId} request={aborting.request} onClose={() => setAborting(null)} />
      )}
    </>
  );
  return { act, busy: command.busy, archived, deleting, dialog };
}

const NO_IDS: ReadonlySet<string> = new Set();

export function without<T>(ids: ReadonlySet<T>, id: T): ReadonlySet<T> {
  return new Set([...ids].filter((each) => each !== id));
}

export function added<T>(ids: ReadonlySet<T>, id: T): ReadonlySet<T> {
  return new Set([...ids, id]);
}

const ACTION_KEYS: Readonly<Record<string, readonly CastAction[]>> = {
  c: ["answer"],
  r: ["resume", "raise", "again"],
  x: ["abort"],
};

/** Arrow keys move through the casts; letters run the action of the row. */
export function useCastListKeys(casts: readonly CastSummary[], act: (cast: CastSummary, action: RowAction) => void) {
  const list = useRef<HTMLDivElement>(null);
  // From anywhere on the page, unless a control handles the key.
  const enter = (from: "first" | "last"): boolean => {
    if (document.activeElement?.closest("main *")) return false;
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("a[data-cast]") ?? [])];
    links.at(from === "first" ? 0 : -1)?.focus();
    return links.length > 0;
  };
  useKeys({ down: () => enter("first"), up: () => enter("last") });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("a[data-cast]") ?? [])];
    const row = event.target instanceof Element ? event.target.closest("tr, li")?.querySelector("a[data-cast]") : null;
    const at = links.findIndex((link) => link === row);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
      return;
    }
    const cast = casts.find(({ castId }) => castId === links[at]?.dataset["cast"]);
    const wanted = ACTION_KEYS[event.key.toLowerCase()];
    const action = cast ? rowActionOf(cast.status).action : null;
    if (!cast || action === null || !wanted?.includes(action)) return;
    event.preventDefault();
    act(cast, action);
  };
  return { list, onKeyDown };
}

/** A set of ids that this browser stores; damaged or missing, it is the default. */
export function useStoredIds(
  key: string,
  initial: ReadonlySet<string>,
): readonly [ReadonlySet<string>, (ids: ReadonlySet<string>) => void] {
  const [text, setText] = useStoredText(key);
  const ids = useMemo(() => {
    const read = v.safeParse(v.array(v.string()), parseJson(text ?? ""));
    return read.success ? new Set(read.output) : initial;
  }, [text, initial]);
  return [ids, (next) => setText(JSON.stringify([...next]))];
}
