import { END, type EdgeText, type LoadoutText, type LoopText, type SocketText } from "../texts.ts";
import type { Chance } from "./chance.ts";

/** The loadout with one thing changed that may be a mistake. */
export function spoiled(chance: Chance, loadout: LoadoutText): LoadoutText {
  const ids = Object.keys(loadout.sockets) as [string, ...string[]]; // a loadout has a socket
  const id = chance.pick(...ids);
  const other = chance.pick(...ids);
  const socket = loadout.sockets[id] ?? { materia: "" };
  const put = (part: Partial<SocketText>, at = id): LoadoutText => ({
    ...loadout,
    sockets: { ...loadout.sockets, [at]: { ...socket, ...part } },
  });
  const edge = (part: Partial<EdgeText>): LoadoutText => put({ edges: [{ when: "always", to: END, ...part }] });
  const [loop] = Object.keys(loadout.loops ?? {});
  const loops = (part: Partial<LoopText>): LoadoutText => {
    const old = loadout.loops?.[loop ?? ""] ?? { sockets: [id] };
    return { ...loadout, loops: { ...loadout.loops, [loop ?? "L"]: { ...old, ...part } } };
  };
  const assign = (target: string, source: string): LoadoutText => put({ assign: { [target]: source } });
  return chance.pick<() => LoadoutText>(
    () => ({ ...loadout, entry: "Nowhere" }),
    () => ({ ...loadout, entry: other }),
    () => put({ materia: "Nobody" }),
    () => put({}, chance.pick("end", "1st", "a b", "Ä")),
    () => put({ parse: "text" }),
    () => put({ parse: "json" }),
    () => put({ advance: {} }),
    () => put({ advance: { when: "satisfied" } }),
    () => put({ edges: [{ when: "always", to: other }, ...(socket.edges ?? [])] }),
    () => put({ edges: [{ when: "satisfied", to: other }] }),
    () => edge({ to: "Nowhere" }),
    () => edge({ to: other }),
    () => edge({ maxTraversals: chance.pick(0, -1, 1.5, 2) }),
    () => loops({ sockets: [id, other] }),
    () => loops({ sockets: [id, "Nowhere"] }),
    () => loops({ sockets: [] }),
    () => loops({ consumes: { from: other, output: "workItems" } }),
    () => loops({ consumes: { from: other, output: "tasks" } }),
    () => loops({ exits: [{ id: "x", from: id, condition: "always", targetSocketId: other }] }),
    () => loops({ exits: [{ id: "x", from: id, condition: "satisfied", targetSocketId: "Nowhere" }] }),
    () =>
      loops({
        exits: (["always", "satisfied"] as const).map((condition) => ({
          id: chance.pick("x", condition),
          from: id,
          condition: chance.pick("always", condition),
          targetSocketId: other,
        })),
      }),
    () => ({ ...loadout, loops: { ...loadout.loops, M: { sockets: [id] } } }),
    () => assign("a", chance.pick("$.other", "$.context", "$.context.x", "$.satisfied.x", "$.workItems.0.title")),
    () => assign("a", chance.pick("item.title", "item.id", "item", "state", "other.x", "$.", "state.x")),
    () => ({ ...put({ assign: { a: "item.title" } }), loops: { ...loadout.loops, M: { sockets: [id] } } }),
    () => ({
      ...put({ assign: { copy: chance.pick("$.workItems", "$", "state.workItems", "$.context") } }),
      sockets: {
        ...put({ assign: { copy: chance.pick("$.workItems", "$", "state.workItems", "$.context") } }).sockets,
        ...(other === id
          ? {}
          : {
              [other]: {
                ...(loadout.sockets[other] ?? { materia: "" }),
                assign: { [chance.pick("copy.x", "copy.workItems.x", "again.0")]: "$", again: "state.copy" },
              },
            }),
      },
    }),
    () => assign(chance.pick("__proto__.x", "a.constructor", "workItems.0.title", "", "a..b", "ok"), "$"),
  )();
}
