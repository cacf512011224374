import {
  END,
  type EdgeText,
  type ExitText,
  type LoadoutText,
  type LoopText,
  type MateriaText,
  type SocketText,
  type Texts,
  type When,
} from "../texts.ts";
import { chanceOf, type Chance } from "./chance.ts";
import { spoiled } from "./faults.ts";

/** A configuration, a command and the seed of every answer: all that a cast depends on. */
export interface Case {
  readonly seed: number;
  readonly texts: Texts;
  readonly targets: readonly string[];
  /** Whether loops may be parallel, and items name others; `sound` names only what can be. */
  readonly parallel?: boolean | "sound";
  /** How often a person allows more; by chance if it is not said. */
  readonly raises?: number;
  readonly habits?: Habits;
}

/** What answers are like beside being by chance. */
export interface Habits {
  /** Programs hand on lists that they find in state, as they are or changed. */
  readonly echoes?: boolean;
  /** Some agents make the same list at every visit. */
  readonly repeats?: boolean;
  /** Items have one title. */
  readonly alike?: boolean;
  /** Lists of up to so many items. */
  readonly longest?: number;
  /** Turns and runs are broken off, and a person goes on, with little more allowed or with a hint. */
  readonly breaks?: number;
  /** There is an earlier cast. */
  readonly earlier?: boolean;
}

/** What the engine does not do yet is not asked of it. */
export const BUILT: ReadonlySet<string> = new Set([
  "mark before a fence",
  "gates",
  "returns",
  "leaving edges",
  "then",
  "merged assign",
  "state sources",
  "told",
  "exit to end",
  "interactive bound",
]);

export const MATERIA: Readonly<Record<string, MateriaText>> = {
  Text: { prompt: "Write.", tools: "coding" },
  Json: { prompt: "Judge.", parse: "json", tools: "coding" },
  Plan: { prompt: "Plan.", generator: true },
  Told: {
    prompt: "{{item.title}} {{item.context}} {{workItems}} {{state.kept.said}} {{state.seen}} {{state.workItem.title}}",
  },
  Keep: { prompt: "Keep.", parse: "json", assign: { "kept.said": "$.context" } },
  Say: { type: "utility", command: ["say"] },
  Tool: { type: "utility", command: ["tool"], parse: "json" },
  List: { type: "utility", command: ["list"], generator: true },
  Chat: { prompt: "Talk.", interactive: true, parse: "json", conversation: "item" },
  ...(BUILT.has("gates") && {
    Gate: { type: "utility", command: ["gate"], gate: true },
    Person: { type: "person", question: "Is {{item.title}} right, {{state.seen}}?" },
  }),
};

const LOADOUTS = ["A", "B", "ก", "Text"] as const;

export function randomCase(seed: number): Case {
  const chance = chanceOf("case", seed);
  const names = LOADOUTS.slice(0, chance.count(1, LOADOUTS.length));
  const loadouts = names.map((name) => {
    const loadout = randomLoadout(chance, chance.count(1, 7));
    const patient = withGivenUpItems(chanceOf("give up", seed, name), loadout);
    return [name, chance.happens(0.08) ? spoiled(chance, patient) : patient] as const;
  });
  const limits = {
    maxNoAdvanceCycles: BUILT.has("returns") ? chance.pick(3, 3, 2, 1, 0) : 1000,
    maxRepairs: chance.count(0, 2),
    ...chanceOf("unchanged", seed).pick({}, {}, { maxUnchanged: 0 }, { maxUnchanged: 1 }, { maxUnchanged: 3 }),
  };
  const tight = chanceOf("budget", seed);
  const scarce = tight.happens(0.15) ? { maxTokens: tight.count(1, 6) * 10 + 7 } : {};
  const budget = chance.happens(0.1) ? { maxTokens: chance.count(1, 20) * 10 + 7 } : scarce;
  const targets = Array.from({ length: chance.pick(1, 1, 1, 2, 2, 3, 4) }, () => {
    const loadout = chance.pick("A", ...names);
    const materia = chance.pick(...(Object.keys(MATERIA) as [string, ...string[]])); // never empty
    return chance.happens(0.02)
      ? chance.pick("Nobody", "loadout:Text", "materia:A", loadout)
      : chance.happens(0.75)
        ? `loadout:${loadout}`
        : chance.pick(`materia:${materia}`, materia);
  });
  return { seed, texts: { materia: MATERIA, loadouts: Object.fromEntries(loadouts), limits, budget }, targets };
}

/** The loadout with more members that give an item up for the next once it was refused. */
function withGivenUpItems(chance: Chance, loadout: LoadoutText): LoadoutText {
  const members = Object.values(loadout.loops ?? {}).flatMap(({ sockets }) => sockets);
  const sockets = Object.entries(loadout.sockets).map(([id, socket]): [string, SocketText] => {
    const edges = (socket.edges ?? []).map((edge): EdgeText => {
      if (!members.includes(id) || edge.when !== "not_satisfied" || !chance.happens(0.25)) return edge;
      return { ...edge, maxTraversals: edge.maxTraversals ?? 1, then: "next" };
    });
    return [id, { ...socket, edges }];
  });
  return { ...loadout, sockets: Object.fromEntries(sockets) };
}

/** Sockets in a row; some rows are the members of a loop. */
interface Row {
  readonly ids: readonly string[];
  readonly list?: "workItems" | "plans";
  readonly consumes: boolean;
}

export function randomLoadout(chance: Chance, size: number): LoadoutText {
  const rows = randomRows(chance, randomIds(chance, size));
  const ids = rows.flatMap((row) => row.ids);
  const sockets = rows.flatMap((row, at) =>
    row.ids.map((id, index) => {
      const seat: Seat = {
        id,
        before: rows[at - 1]?.ids.at(-1) ?? id,
        onward: row.ids[index + 1] ?? (row.list ? row.ids[0] : rows[at + 1]?.ids[0]) ?? END,
        row,
        last: index === row.ids.length - 1,
        feeds: rows[at + 1]?.list,
        ids,
      };
      return [id, randomSocket(chance, seat)] as const;
    }),
  );
  const loops = rows.flatMap((row, at) => (row.list ? [[`each-${at}`, randomLoop(chance, rows, at)] as const] : []));
  return { entry: ids[0] ?? "", sockets: Object.fromEntries(sockets), loops: Object.fromEntries(loops) };
}

function randomIds(chance: Chance, size: number): readonly string[] {
  const odd = chance.happens(0.15);
  const step = chance.pick(1, 1, 1, 7);
  return Array.from({ length: size }, (_, index) =>
    odd && chance.happens(0.5) ? `${chance.pick("step", "Z", "a_b")}-${index}` : `Socket-${index * step + 1}`,
  );
}

function randomRows(chance: Chance, ids: readonly string[]): readonly Row[] {
  const rows: Row[] = [];
  for (let used = 0; used < ids.length;) {
    const own = ids.slice(used, used + chance.count(1, 3));
    const before = rows.at(-1);
    if (before && !before.list && chance.happens(0.65)) {
      const list = chance.pick("workItems", "workItems", "workItems", "plans");
      rows.push({ ids: own, list, consumes: list === "workItems" && chance.happens(0.8) });
      used += own.length;
    } else {
      rows.push({ ids: own.slice(0, 1), consumes: false });
      used += 1;
    }
  }
  return rows;
}

interface Seat {
  readonly id: string;
  readonly ids: readonly string[];
  readonly before: string;
  readonly onward: string;
  readonly row: Row;
  readonly last: boolean;
  /** The list that the row behind it walks. */
  readonly feeds: "workItems" | "plans" | undefined;
}

function randomSocket(chance: Chance, seat: Seat): SocketText {
  const { row, feeds } = seat;
  const plans = feeds === "plans" ? chance.pick("Json", "Tool") : undefined;
  const gates = BUILT.has("gates") ? ["Gate", "Gate", "Person"] : [];
  const free = chance.pick(
    "Text",
    "Text",
    "Json",
    "Json",
    "Json",
    "Say",
    "Tool",
    "Told",
    "Keep",
    "Plan",
    "Chat",
    ...gates,
  );
  const name = plans ?? (feeds === "workItems" && seat.last ? chance.pick("Plan", "Plan", "List") : free);
  const json = !["Text", "Say", "Told"].includes(name) || chance.happens(0.1);
  const when = json ? chance.pick<When>("always", "satisfied", "satisfied", "not_satisfied") : "always";
  const items = row.list === "plans" ? { items: "state.plans" } : {};
  const advance = row.list && (seat.last || chance.happens(0.2)) ? { advance: { when, ...items } } : {};
  const own = name === "Keep" && !BUILT.has("merged assign");
  const assign = own
    ? {}
    : randomAssign(chance, { name, json, inLoop: row.list !== undefined, plans: plans !== undefined });
  return {
    materia: name,
    ...(json && ["Text", "Told", "Say"].includes(name) ? { parse: "json" as const } : {}),
    ...(Object.keys(assign).length > 0 ? { assign } : {}),
    ...(MATERIA[name]?.prompt === undefined ? {} : conversationAt(seat)),
    ...advance,
    edges: json ? randomEdges(chance, seat) : chance.happens(0.03) ? [] : [{ when: "always", to: seat.onward }],
  };
}

/** By its place, without chance: other cases of a seed stay as they are. */
function conversationAt({ ids, id }: Seat): Pick<SocketText, "conversation"> {
  const at = (ids.length * 7 + ids.indexOf(id) * 3) % 5;
  return at < 2 ? { conversation: "item" } : at === 2 ? { conversation: "fresh" } : {};
}

function randomAssign(
  chance: Chance,
  { name, json, inLoop, plans }: { name: string; json: boolean; inLoop: boolean; plans: boolean },
): Readonly<Record<string, string>> {
  const judge = name === "Gate" || name === "Person";
  return {
    ...(plans ? { plans: name === "Tool" ? "$.things" : "$.workItems" } : {}),
    ...(chance.happens(0.15) ? { seen: json ? chance.pick("$", "$.context") : "$" } : {}),
    ...(inLoop && chance.happens(0.15) ? { "of.item": chance.pick("item.title", "item.context") } : {}),
    ...(BUILT.has("state sources") && chance.happens(0.03) ? { copied: "state.kept.said" } : {}),
    ...(chance.happens(0.01) ? { workItems: chance.pick("state.plans", "state.seen", "state.workItems") } : {}),
    ...(json && !judge && chance.happens(0.03) ? { workItems: "$.workItems" } : {}),
  };
}

function randomEdges(chance: Chance, seat: Seat): readonly EdgeText[] {
  // A counted way into a loop, which may be empty and lead back.
  const counted = seat.feeds !== undefined && chance.happens(0.25) ? { maxTraversals: chance.pick(1, 2, 4, 6) } : {};
  const used = counted.maxTraversals !== undefined && chance.happens(0.5) ? { then: END } : {};
  const onward: EdgeText = { when: "always", to: seat.onward, ...counted, ...used };
  const aside = (when: When): EdgeText => {
    const near = seat.ids.slice(0, seat.ids.indexOf(seat.id) + 3);
    const { ids, list } = seat.row;
    const home = list && chance.happens(0.6) ? ids : [seat.before, seat.before, ...ids, ...near];
    const to = chance.happens(0.04) ? END : chance.pick(seat.id, ...home);
    const leaves = seat.row.list && !seat.row.ids.includes(to) && !BUILT.has("leaving edges");
    if (leaves || chance.happens(0.4)) return { when, to };
    const then = list && chance.happens(0.6) ? "next" : chance.pick(seat.onward, seat.onward, END, ...near);
    const more = BUILT.has("then") && chance.happens(0.5) ? { then } : {};
    return { when, to, maxTraversals: chance.pick(1, 1, 2, 3), ...more };
  };
  return chance.pick<readonly EdgeText[]>(
    [onward],
    [aside("not_satisfied"), onward],
    [aside("not_satisfied"), onward],
    [aside("satisfied"), onward],
    [aside("not_satisfied"), { when: "satisfied", to: seat.onward }],
    [{ when: "satisfied", to: seat.onward }, aside("not_satisfied")],
    [aside("not_satisfied"), aside("satisfied")],
    [aside("not_satisfied"), aside("not_satisfied"), onward],
    chance.pick([onward], [onward], [aside("always")], [aside("satisfied")], []),
  );
}

function randomLoop(chance: Chance, rows: readonly Row[], at: number): LoopText {
  const { ids, consumes } = rows[at] ?? { ids: [], consumes: false };
  const outside = rows.flatMap((row, index) => (index === at ? [] : row.ids));
  const after = rows[at + 1]?.ids[0];
  const exits = ids.flatMap((from) =>
    (["satisfied", "not_satisfied", "always"] as const)
      .filter((condition) => {
        const likely = from === ids.at(-1) && condition === "always" ? 0.85 : 0.25;
        return outside.length > 0 && chance.happens(after ? likely : 0.1);
      })
      .map((condition): ExitText => {
        const near = after ?? outside[0] ?? "";
        // Loops whose exits lead into each other, and back to the maker of the list.
        const loops = rows.flatMap((row, index) => (row.list && index !== at ? (row.ids[0] ?? []) : []));
        const back = [rows[at - 1]?.ids.at(-1) ?? near, ...loops];
        const to =
          BUILT.has("exit to end") && chance.happens(0.1)
            ? END
            : chance.happens(0.2)
              ? chance.pick(near, ...back)
              : chance.pick(near, near, near, near, ...outside);
        return { id: `${from}.${condition}`, from, condition, targetSocketId: to };
      }),
  );
  const from = rows[at - 1]?.ids.at(-1) ?? "";
  return { sockets: ids, exits, ...(consumes ? { consumes: { from, output: "workItems" } } : {}) };
}
