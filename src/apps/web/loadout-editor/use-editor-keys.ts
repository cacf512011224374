import { useEffect, useRef } from "react";
import { connectSockets, moveEdge, removeWay, findAuthoredWay } from "../../../core/edit/edges-and-exits.ts";
import {
  addSocket,
  copySockets,
  duplicateSockets,
  nextSocketId,
  pasteSockets,
  placeSockets,
  removeSockets,
} from "../../../core/edit/loadout-edit.ts";
import { createLoop, insertSocketInWay, removeLoop } from "../../../core/edit/loops.ts";
import { draftFromText, printLoadout } from "../../../core/edit/loadout-draft.ts";
import { countedText } from "../../../core/model/text.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import type { Loadout } from "../../../core/model/loadout.ts";
import type { Box } from "../../../core/view/layout/drawing.ts";
import { partFromElement } from "../graph/graph-keys.ts";
import { socketPart, type GraphPart } from "../graph/graph-marks.ts";
import { isTyping, useKeysOutsideDialogs } from "../browser/keyboard.ts";
import { edgeWayId, type SocketId } from "../../../core/model/ids.ts";
import { canSocketJudge, type PendingConnection } from "./use-canvas.ts";
import { type Editor, isDirty, knownMateria } from "./editor.ts";
import { toast } from "../ui/toasts.tsx";

interface CanvasControl {
  readonly boxOf: (id: string) => Box | undefined;
  readonly open: (dialog: "add" | "review" | "duplicate") => void;
  readonly setConnecting: (connecting: PendingConnection | null) => void;
  readonly nextProblem: () => void;
  readonly focusWhenDrawn: (id: string) => void;
}

/** The keys of the editor; every key has a button or menu entry. */
export function useEditorKeys(editor: Editor, canvas: CanvasControl): void {
  const { apply, select, selected, undo, redo } = editor;
  const ids = (): readonly string[] => socketIdsIn(selected.length > 0 ? selected : focusedParts());
  const remove = (): unknown => {
    const part = focusedPart() ?? selected[0];
    return part ? removeParts(editor, selected.length > 1 ? selected : [part]) : false;
  };
  const shift = (dx: number, dy: number): unknown => {
    const part = focusedPart();
    const way = part?.kind === "edge" && dx === 0 ? findAuthoredWay(editor.loadout, part.id) : undefined;
    if (way?.kind === "edge") return reorderEdge(editor, way.from, way.index, dy < 0 ? -1 : 1);
    const box = part?.kind === "socket" ? canvas.boxOf(part.id) : undefined;
    if (!part || !box) return false;
    const place = { x: Math.max(4, box.x + dx), y: Math.max(4, box.y + dy) };
    return apply(`Move ${part.id}`, (each) => placeSockets(each, { [part.id]: place }), `move ${part.id}`);
  };
  useKeysOutsideDialogs({
    a: () => canvas.open("add"),
    c: () => {
      const from = focusedPart() ?? selected[0];
      if (from?.kind !== "socket") return false;
      if (editor.readOnly !== null) return void apply("Connect", ok);
      canvas.setConnecting({ from: from.id, when: null });
      return canvas.focusWhenDrawn(from.id);
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
      const made = apply(`Duplicate ${copied.join(", ")}`, (each) => duplicateSockets(each, copied));
      return made && canvas.focusWhenDrawn(first);
    },
    "ctrl+a": () => {
      if (isTyping(document.activeElement)) return false;
      return select(...Object.keys(editor.loadout.sockets).map(socketPart));
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
  if (fresh.length > 0) editor.select(...fresh.map(socketPart));
}

/** [E2] Adds a socket after the selected one. */
export function addSocketAfter(editor: Editor, materia: string, after: string | null): string | null {
  const edges = after === null ? undefined : editor.loadout.sockets[after]?.edges;
  // Insert the socket into the only edge, if that is always taken.
  if (after !== null && edges?.length === 1 && edges[0]?.when === "always")
    return addSocketIntoEdge(editor, materia, edgeWayId(after, 0));
  const leads = after !== null && edges?.length === 0;
  return addNewSocket(editor, materia, (each, id) => {
    const next = addSocket(each, materia);
    return next.ok && leads
      ? connectSockets(next.value, { from: after, to: id, judges: canSocketJudge(editor, after) })
      : next;
  });
}

/** [E28] Inserts a socket into an edge. */
export function addSocketIntoEdge(editor: Editor, materia: string, way: string): string | null {
  return addNewSocket(editor, materia, (each) => insertSocketInWay(each, way, materia));
}

export function addNewSocket(
  { apply, select, loadout }: Editor,
  materia: string,
  edit: (loadout: Loadout, id: SocketId) => Result<Loadout>,
): string | null {
  const id = nextSocketId(loadout);
  if (!apply(`Add ${materia}`, (each) => edit(each, id))) return null;
  select({ kind: "socket", id });
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
  return [focusedPart()].filter((part) => part !== null);
}

export function socketIdsIn(parts: readonly GraphPart[]): readonly string[] {
  return parts.filter(({ kind }) => kind === "socket").map(({ id }) => id);
}

export function removeParts({ remove, select }: Editor, parts: readonly GraphPart[]): void {
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
  if (done) select();
}

/** Moves an edge in the order of its socket, and keeps it selected. */
export function reorderEdge({ apply, select }: Editor, from: string, index: number, by: -1 | 1): void {
  if (apply(`Reorder the edges of ${from}`, (each) => moveEdge(each, from, index, by)))
    select({ kind: "edge", id: edgeWayId(from, index + by) });
}
