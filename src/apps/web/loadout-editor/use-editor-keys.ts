import { useEffect, useRef } from "react";
import { connectSockets, moveEdge } from "../../../core/edit/edges-and-exits.ts";
import {
  addSocket,
  copySockets,
  duplicateSockets,
  nextSocketId,
  pasteSockets,
  placeSockets,
  removeSockets,
} from "../../../core/edit/sockets.ts";
import { insertSocketInWay, removeWay, findAuthoredWay } from "../../../core/edit/ways.ts";
import { createLoop, removeLoop } from "../../../core/edit/loops.ts";
import { draftFromText, printLoadout } from "../../../core/edit/loadout-draft.ts";
import { countedText } from "../../../core/model/text.ts";
import { ok } from "../../../core/model/issue.ts";
import type { Box, Point } from "../../../core/view/layout/drawing.ts";
import { partFromElement } from "../graph/graph-keys.ts";
import type { GraphPart } from "../graph/graph-marks.ts";
import { isTyping, useKeysOutsideDialogs } from "../browser/keyboard.ts";
import { edgeWayId } from "../../../core/model/ids.ts";
import { canSocketJudge, type PendingConnection } from "./use-canvas.ts";
import { type EditorDialogName, type Editor, isDirty } from "./editor.ts";
import { toast } from "../ui/toasts.tsx";
import { knownMateria } from "./check-draft.ts";

/** What the keys need from the canvas. */
interface CanvasControl {
  /** The current position of a socket. */
  readonly boxOf: (id: string) => Box | undefined;
  readonly open: (dialog: EditorDialogName) => void;
  readonly setConnecting: (connecting: PendingConnection | null) => void;
  readonly nextProblem: () => void;
  readonly focusWhenDrawn: (id: string) => void;
}

/** The keys of the editor; every key has a button or menu entry. */
export function useEditorKeys(editor: Editor, canvas: CanvasControl): void {
  const { apply, select, selected, undo, redo } = editor;
  const ids = (): readonly string[] => socketIdsIn(selected.length > 0 ? selected : focusedParts());
  const remove = (): boolean => {
    const part = focusedPart() ?? selected[0];
    if (!part) return false;
    if (removeParts(editor, selected.length > 1 ? selected : [part])) select();
    return true;
  };
  const shift = (dx: number, dy: number): boolean => {
    const part = focusedPart();
    if (part?.kind === "edge" && dx === 0) return reorderEdge(editor, part.id, dy < 0 ? -1 : 1);
    const box = part?.kind === "socket" ? canvas.boxOf(part.id) : undefined;
    return part && box ? moveSocketTo(editor, part.id, { x: box.x + dx, y: box.y + dy }) : false;
  };
  useKeysOutsideDialogs({
    a: () => canvas.open("add"),
    c: () => {
      const from = focusedPart() ?? selected[0];
      if (from?.kind !== "socket") return false;
      if (editor.readOnly !== null) return void apply("Connect", ok);
      canvas.setConnecting({ from: from.id, when: null });
      canvas.focusWhenDrawn(from.id);
      return true;
    },
    // The focused part counts as selected.
    l: () => makeLoopFrom(editor, [...new Set([...socketIdsIn(selected), ...socketIdsIn(focusedParts())])]),
    delete: remove,
    backspace: remove,
    "alt+up": () => shift(0, -16),
    "alt+down": () => shift(0, 16),
    "alt+left": () => shift(-16, 0),
    "alt+right": () => shift(16, 0),
    "ctrl+z": undo,
    "ctrl+shift+z": redo,
    "ctrl+y": redo,
    "ctrl+d": () => {
      const copied = ids();
      if (copied.length === 0) return false;
      const first = nextSocketId(editor.loadout);
      if (apply(`Duplicate ${copied.join(", ")}`, (each) => duplicateSockets(each, copied)))
        canvas.focusWhenDrawn(first);
      return true;
    },
    "ctrl+a": () => {
      if (isTyping(document.activeElement)) return false;
      select(...Object.keys(editor.loadout.sockets).map((id) => ({ kind: "socket" as const, id })));
      return true;
    },
    "ctrl+s": () => {
      if (editor.readOnly === null && !isDirty(editor.draft)) toast({ text: "Nothing to save." });
      else canvas.open(editor.readOnly === null ? "review" : "duplicate");
    },
    f8: canvas.nextProblem,
    escape: () => (selected.length > 0 ? select() : false),
  });
  useClipboard({
    copy: () => copySelection(editor, ids()),
    paste: (text) => pasteSelection(editor, text),
  });
}

/** [E31] The keys of the system for copy and paste, outside fields and dialogs. */
function useClipboard(clipboard: { readonly copy: () => string | null; readonly paste: (text: string) => void }): void {
  const latest = useRef(clipboard);
  useEffect(() => {
    latest.current = clipboard;
  });
  useEffect(() => {
    const handle = (event: ClipboardEvent): void => {
      const isElsewhere = isTyping(document.activeElement) || document.querySelector("dialog[open]") !== null;
      // A person who marked text wants that text.
      if (isElsewhere || (event.type === "copy" && String(getSelection()) !== "")) return;
      const text = event.type === "copy" ? latest.current.copy() : null;
      if (text !== null) event.clipboardData?.setData("text/plain", text);
      if (event.type === "paste") latest.current.paste(event.clipboardData?.getData("text/plain") ?? "");
      if (text !== null || event.type === "paste") event.preventDefault();
    };
    document.addEventListener("copy", handle);
    document.addEventListener("paste", handle);
    return () => {
      document.removeEventListener("copy", handle);
      document.removeEventListener("paste", handle);
    };
  }, []);
}

function copySelection({ loadout }: Editor, ids: readonly string[]): string | null {
  const copied = ids.length === 0 ? null : copySockets(loadout, ids);
  if (!copied?.ok) return null;
  toast({ text: `Copied ${countedText(ids.length, "socket")}. Paste with Ctrl V, also in another loadout.` });
  return printLoadout(copied.value);
}

function pasteSelection(editor: Editor, text: string): void {
  const { loadout } = draftFromText(editor.name, text);
  const before = new Set(Object.keys(editor.loadout.sockets));
  const count = Object.keys(loadout.sockets).length;
  if (count === 0) return toast({ text: "The clipboard has no sockets. Copy some in a loadout first." });
  const pasted = editor.apply(`Paste ${countedText(count, "socket")}`, (each) => pasteSockets(each, loadout));
  const fresh = Object.keys(pasted?.sockets ?? {}).filter((id) => !before.has(id));
  if (fresh.length > 0) editor.select(...fresh.map((id) => ({ kind: "socket" as const, id })));
}

/** [E2] Adds a socket after the selected one. */
export function addSocketAfter(editor: Editor, materia: string, after: string | null): string | null {
  const id = nextSocketId(editor.loadout);
  const edges = after === null ? undefined : editor.loadout.sockets[after]?.edges;
  // Insert the socket into the only edge, if that is always taken.
  if (after !== null && edges?.length === 1 && edges[0]?.when === "always")
    return addSocketIntoEdge(editor, materia, edgeWayId(after, 0));
  const leads = after !== null && edges?.length === 0;
  const added = editor.apply(`Add ${materia}`, (each) => {
    const next = addSocket(each, materia);
    return next.ok && leads
      ? connectSockets(next.value, { from: after, to: id, judges: canSocketJudge(editor, after) })
      : next;
  });
  if (!added) return null;
  editor.select({ kind: "socket", id });
  return id;
}

/** [E28] Inserts a socket into an edge. */
export function addSocketIntoEdge(editor: Editor, materia: string, way: string): string | null {
  const id = nextSocketId(editor.loadout);
  if (!editor.apply(`Add ${materia}`, (each) => insertSocketInWay(each, way, materia))) return null;
  editor.select({ kind: "socket", id });
  return id;
}

/** [E2] The socket to extend: the selected one, otherwise the only one without an edge. */
export function socketToExtend({ selected, loadout }: Editor): string | null {
  const [chosen] = socketIdsIn(selected);
  if (chosen !== undefined) return chosen;
  const ends = Object.entries(loadout.sockets).filter(([, { edges }]) => edges.length === 0);
  return ends.length === 1 ? (ends[0]?.[0] ?? null) : null;
}

export function makeLoopFrom(editor: Editor, ids: readonly string[]): void {
  const known = knownMateria(editor.catalog);
  const before = new Set(Object.keys(editor.loadout.loops));
  const made = editor.apply("Make a loop", (each) => createLoop(each, ids, known.isGenerator));
  const id = made && Object.keys(made.loops).find((each) => !before.has(each));
  if (id !== null && id !== undefined) editor.select({ kind: "loop", id });
}

export function focusedPart(): GraphPart | null {
  return partFromElement(document.activeElement);
}

function focusedParts(): readonly GraphPart[] {
  const part = focusedPart();
  return part ? [part] : [];
}

export function socketIdsIn(parts: readonly GraphPart[]): readonly string[] {
  return parts.filter(({ kind }) => kind === "socket").map(({ id }) => id);
}

function removeParts({ remove }: Editor, parts: readonly GraphPart[]): boolean {
  const sockets = socketIdsIn(parts);
  const names = parts.map(({ id }) => id).join(", ");
  const done = remove(`Delete ${names}`, (loadout) => {
    let result = sockets.length > 0 ? removeSockets(loadout, sockets) : ok(loadout);
    for (const { kind, id } of parts) {
      if (!result.ok || kind === "socket") continue;
      result = kind === "loop" ? removeLoop(result.value, id) : removeWay(result.value, id);
    }
    return result;
  });
  return done !== null;
}

function reorderEdge(editor: Editor, id: string, by: -1 | 1): boolean {
  const way = findAuthoredWay(editor.loadout, id);
  if (way?.kind !== "edge") return false;
  const { from, index } = way;
  if (editor.apply(`Reorder the edges of ${from}`, (each) => moveEdge(each, from, index, by)))
    editor.select({ kind: "edge", id: edgeWayId(from, index + by) });
  return true;
}

/** Its current position, a little aside. */
function moveSocketTo(editor: Editor, id: string, at: Point): boolean {
  const place = { x: Math.max(4, at.x), y: Math.max(4, at.y) };
  return editor.apply(`Move ${id}`, (each) => placeSockets(each, { [id]: place }), `move ${id}`) !== null;
}
