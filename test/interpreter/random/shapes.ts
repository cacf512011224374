import { bundledLayer } from "../../../src/core/catalog/bundled-layer.ts";
import type { Loadout } from "../../../src/core/model/loadout.ts";
import type { Materia } from "../../../src/core/model/materia.ts";
import { END, type EdgeText, type ExitText, type LoadoutText, type MateriaText, type SocketText } from "../texts.ts";
import type { Chance } from "./chance.ts";

/** The materia of the bundled loadouts, as far as they decide where a cast goes. */
export const SHAPE_MATERIA: Readonly<Record<string, MateriaText>> = {
  ...Object.fromEntries(
    [...bundledLayer().materia].flatMap(([name, entry]) => (entry?.value ? [[name, plainMateria(entry.value)]] : [])),
  ),
  Plan: { prompt: "Plan.", generator: true },
  Do: { prompt: "Do {{item.title}}.", tools: "coding" },
  Judge: { prompt: "Judge.", parse: "json", conversation: "item" },
  Tell: { prompt: "Tell {{workItems}}, {{state.seen}}." },
};

/** The bundled loadouts, and those of the guides. */
const SHAPES: readonly LoadoutText[] = [
  ...[...bundledLayer().loadouts].flatMap(([, entry]) => (entry?.value ? [plainLoadout(entry.value)] : [])),
  perItem({ maxTraversals: 2 }),
  perItem({ maxTraversals: 1, then: "next" }, { parallel: 3 }),
  reviews([2]),
  reviews([2, 1]),
  twoEnds(),
];

function plainMateria({ type, ...materia }: Materia): MateriaText {
  if (type === "person") return { type, question: "Is {{item.title}} right?" };
  const { parse, generator, assign = {} } = materia as { parse?: "json" | "text"; generator?: true; assign?: object };
  const shared = { ...(parse && { parse }), ...(generator && { generator }), assign: { ...assign } };
  if (type === "utility") return { type, command: ["tool"], ...shared, ...("gate" in materia ? { gate: true } : {}) };
  const { conversation, interactive, tools } = materia as {
    conversation?: "item";
    interactive?: true;
    tools?: unknown;
  };
  const writes = JSON.stringify(tools ?? "").includes("write");
  return {
    prompt: "Work on {{item.title}}.",
    ...shared,
    ...(conversation && { conversation }),
    ...(interactive && { interactive }),
    ...(writes ? { tools: "coding" } : {}),
  };
}

function plainLoadout({ entry, sockets, loops }: Loadout): LoadoutText {
  return JSON.parse(JSON.stringify({ entry, sockets, loops })) as LoadoutText; // the same fields
}

/** Plan → per item: Do → Judge (—no→ Do) → Tell. */
function perItem(limits: Partial<EdgeText>, more: { readonly parallel?: number } = {}): LoadoutText {
  return {
    entry: "Socket-1",
    sockets: {
      "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
      "Socket-2": { materia: "Do", edges: [{ when: "always", to: "Socket-3" }] },
      "Socket-3": {
        materia: "Judge",
        advance: { when: "satisfied" },
        edges: [
          { when: "satisfied", to: "Socket-2" },
          { when: "not_satisfied", to: "Socket-2", ...limits },
        ],
      },
      "Socket-4": { materia: "Tell" },
    },
    loops: {
      items: {
        sockets: ["Socket-2", "Socket-3"],
        consumes: { from: "Socket-1", output: "workItems" },
        exits: [{ id: "done", from: "Socket-3", condition: "always", targetSocketId: "Socket-4" }],
        ...more,
      },
    },
  };
}

/** Do → Judge → … → Judge, each of which sends it back so often. */
function reviews(limits: readonly number[]): LoadoutText {
  const judges = limits.map((maxTraversals, index): [string, SocketText] => {
    const to = index + 1 < limits.length ? `Socket-${index + 3}` : END;
    const edges: EdgeText[] = [
      { when: "not_satisfied", to: "Socket-1", maxTraversals },
      { when: "satisfied", to },
    ];
    return [`Socket-${index + 2}`, { materia: "Judge", edges }];
  });
  const first: SocketText = { materia: "Do", edges: [{ when: "always", to: "Socket-2" }] };
  return { entry: "Socket-1", sockets: { "Socket-1": first, ...Object.fromEntries(judges) } };
}

/** Another end where the last item was refused. */
function twoEnds(): LoadoutText {
  const { sockets, loops, entry } = perItem({ maxTraversals: 3 });
  const exits = (["satisfied", "not_satisfied"] as const).map((condition, index): ExitText => {
    return { id: `exit:${condition}`, from: "Socket-3", condition, targetSocketId: `Socket-${index + 4}` };
  });
  const judge = { materia: "Judge", advance: { when: "always" as const, items: "state.workItems" } };
  return {
    entry,
    sockets: {
      ...sockets,
      "Socket-3": { ...judge, edges: [{ when: "always", to: "Socket-2" }] },
      "Socket-5": { materia: "Tell" },
    },
    loops: { items: { sockets: [], ...loops?.["items"], exits } },
  };
}

/** One of them, changed in up to four places as somebody changes it who makes it their own. */
export function randomShape(chance: Chance): LoadoutText {
  const [first, ...others] = SHAPES as [LoadoutText, ...LoadoutText[]]; // there are some
  const shape = chance.pick(first, ...others);
  return Array.from({ length: chance.count(0, 4) }).reduce<LoadoutText>((all) => edited(chance, all), shape);
}

/** Materia that stand where this one may stand. */
const ROLES: readonly (readonly [string, ...string[]])[] = [
  ["Do", "Build", "Maintain", "Tell", "Narrate", "Context-Check"],
  ["Judge", "Auto-Eval", "Integration-Review", "Run-Checks", "Approve", "GitMaintain", "Cover"],
  ["Plan", "Auto-Plan", "Auto-Architect", "Interactive-Plan", "Parallel-Plan", "Commit-Sigil"],
];

function edited(chance: Chance, loadout: LoadoutText): LoadoutText {
  const ids = Object.keys(loadout.sockets) as [string, ...string[]]; // a loadout has a socket
  const id = chance.pick(...ids);
  const socket = loadout.sockets[id] ?? { materia: "Do" };
  const edges = socket.edges ?? [];
  const put = (part: Partial<SocketText>): LoadoutText => {
    return { ...loadout, sockets: { ...loadout.sockets, [id]: { ...socket, ...part } } };
  };
  const loops = Object.entries(loadout.loops ?? {});
  const withLoops = (change: (loop: (typeof loops)[number][1]) => object): LoadoutText => ({
    ...loadout,
    loops: Object.fromEntries(loops.map(([name, loop]) => [name, { ...loop, ...change(loop) }])),
  });
  const inLoop = loops.some(([, { sockets }]) => sockets.includes(id));
  return chance.pick<() => LoadoutText>(
    () => put({ edges: edges.map((edge) => limited(chance, edge, { ids, inLoop })) }),
    () => put({ edges: edges.map((edge) => limited(chance, edge, { ids, inLoop })) }),
    () =>
      put({ edges: edges.toReversed().toSorted((a, b) => Number(a.when === "always") - Number(b.when === "always")) }),
    () => {
      const role = ROLES.find((names) => names.includes(socket.materia));
      return role ? put({ materia: chance.pick(...role) }) : loadout;
    },
    () => inserted(chance, loadout, id),
    () => inserted(chance, loadout, id),
    () => withLoops(() => ({ parallel: chance.pick(1, 2, 3) })),
    () => withLoops(({ exits = [] }) => ({ exits: exits.filter(() => chance.happens(0.5)) })),
    () =>
      withLoops(({ exits = [] }) => ({
        exits: exits.map((exit) => ({ ...exit, targetSocketId: chance.pick(END, ...ids) })),
      })),
    () =>
      socket.advance ? put({ advance: { ...socket.advance, when: chance.pick("always", "satisfied") } }) : loadout,
    () => put({ conversation: chance.pick("fresh", "item") }),
    () => put({ assign: { ...socket.assign, ...chance.pick({ seen: "$.context" }, { lastCheck: "$" }) } }),
    () =>
      put({ edges: [...edges.filter(({ when }) => when !== "always"), { when: "always", to: chance.pick(...ids) }] }),
  )();
}

function limited(
  chance: Chance,
  { when, to, ...limit }: EdgeText,
  { ids, inLoop }: { readonly ids: readonly [string, ...string[]]; readonly inLoop: boolean },
): EdgeText {
  if (when === "always" && chance.happens(0.8)) return { when, to, ...limit };
  const then = inLoop ? chance.pick("next", "next", END, ...ids) : chance.pick(END, ...ids);
  return chance.pick<EdgeText>(
    { when, to },
    { when, to, maxTraversals: chance.count(1, 4) },
    { when, to, maxTraversals: chance.count(1, 4), then },
  );
}

/** With one more socket behind this one, in the loop of this one. */
function inserted(chance: Chance, loadout: LoadoutText, id: string): LoadoutText {
  const fresh = `Socket-${Object.keys(loadout.sockets).length + 1}`;
  const socket = loadout.sockets[id];
  const [edge, ...rest] = socket?.edges ?? [];
  if (!socket || !edge || loadout.sockets[fresh]) return loadout;
  const name = chance.pick("Do", "Judge", "Run-Checks", "Detect-VCS", "Tell", "Auto-Architect");
  const back: EdgeText = { when: "not_satisfied", to: id, maxTraversals: chance.count(1, 3) };
  const judges = ["Judge", "Run-Checks"].includes(name);
  const seated: SocketText = { materia: name, edges: [...(judges ? [back] : []), { when: "always", to: edge.to }] };
  const loops = Object.entries(loadout.loops ?? {}).map(([each, loop]) => [
    each,
    loop.sockets.includes(id) ? { ...loop, sockets: [...loop.sockets, fresh] } : loop,
  ]);
  return {
    ...loadout,
    sockets: { ...loadout.sockets, [id]: { ...socket, edges: [{ ...edge, to: fresh }, ...rest] }, [fresh]: seated },
    loops: Object.fromEntries(loops) as NonNullable<LoadoutText["loops"]>,
  };
}
