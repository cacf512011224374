import { type Graph, type GraphSocket, materiaOf, socketsOf } from "../../compile/graph.ts";
import { type Destination, END } from "../../model/ids.ts";
import { orderedBlocks, type GraphBlock, readingOrder } from "../../compile/reading-order.ts";
import { graphWays, traversalLimitText, type DrawnWay } from "./drawn-ways.ts";
import { loopText, nameText, iconOf, worstCaseText } from "./labels.ts";
import type { Stitch } from "../../compile/targets/stitch.ts";
import { requiredHandoffFields } from "../../compile/socket-outputs.ts";
import { isGate, materiaMayWrite } from "../../model/materia.ts";
import type { WorstCase } from "../../compile/worst-case.ts";
import { withoutUndefined } from "../../model/json.ts";

/** [C18] The graph as a Mermaid flowchart: a subgraph per loop, dashed lines for ways back. */
export function mermaidText(graph: Graph): string {
  const blocks = orderedBlocks(graph);
  const rows = blocks.flatMap((block) => block.rows);
  if (rows.length === 0) return `flowchart TD\n  none["${escapeMermaid(nameText(graph.name))}: no sockets"]\n`;
  const ways = graphWays(graph);
  const loops = Object.values(graph.loops);
  // A socket may have a name that is a keyword of Mermaid, such as `subgraph`; numbers are safe.
  const numbers = new Map(rows.map(({ socket }, index) => [socket.id, index + 1]));
  const idOf = (to: Destination): string => (to === END ? "finish" : `s${numbers.get(to) ?? 0}`);
  const loopId = new Map(loops.map((loop, index) => [loop.id, `loop${index + 1}`]));
  const drawn = [...rows.flatMap(({ socket }) => ways.ofSocket(socket)), ...loops.flatMap(ways.ofLoop)];
  const lines = [
    'start(["entry"])',
    ...blocks.flatMap((block) => blockLines(graph, block, idOf, loopId)),
    'finish(["end"])',
    ...(numbers.has(graph.entry) ? [`start --> ${idOf(graph.entry)}`] : []),
    ...drawn.map((way) => `${idOf(way.from)} ${arrowOf(way)} ${idOf(way.to)}`),
    // The lines from generators to the loops of their lists. No cast takes them as ways.
    ...loops.flatMap(({ id, from, sockets }) =>
      from === null || sockets.length === 0 ? [] : [`${idOf(from)} -.-|"work items"| ${loopId.get(id) ?? ""}`],
    ),
  ];
  return ["flowchart TD", ...lines.map((each) => `  ${each}`), ""].join("\n");
}

type IdOf = (to: Destination) => string;

function blockLines(
  graph: Graph,
  { loop, rows }: GraphBlock,
  idOf: IdOf,
  loopId: ReadonlyMap<string, string>,
): readonly string[] {
  const lines = rows.map(({ socket }) => socketLine(graph, socket, idOf));
  if (!loop) return lines;
  const head = `subgraph ${loopId.get(loop.id) ?? ""}["${escapeMermaid(loopText(graph, loop))}"]`;
  return [head, ...lines.map((each) => `  ${each}`), "end"];
}

/** A circle for an agent, a rectangle for a utility, a parallelogram for a person. */
function socketLine(graph: Graph, socket: GraphSocket, idOf: IdOf): string {
  const orb = iconOf(graph, socket);
  const label = `"${orb} ${escapeMermaid(nameText(socket.materia))}<br/>${escapeMermaid(nameText(socket.id))}"`;
  return `${idOf(socket.id)}${orb === "◆" ? `{{${label}}}` : orb === "▲" ? `[/${label}/]` : `([${label}])`}`;
}

function arrowOf(way: DrawnWay): string {
  const { label, when } = way;
  const words = [label, traversalLimitText(way)].filter((part) => part !== "").join(", ");
  const arrow = when === "not_satisfied" ? "-.->" : "-->";
  return words === "" ? arrow : `${arrow}|"${escapeMermaid(words)}"|`;
}

/** Escapes every character that Mermaid, Markdown or HTML would interpret. */
function escapeMermaid(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N} .,:()✓✗·→_-]/gu, (character) => `#${character.codePointAt(0) ?? 0};`);
}

/** [C18] The graph as data for programs: unescaped names, sockets in reading order. */
export function graphJson(
  graph: Graph,
  { worst, stitches = [] }: { readonly worst?: WorstCase; readonly stitches?: readonly Stitch[] } = {},
) {
  const ways = graphWays(graph);
  const sockets = readingOrder(graph);
  const loops = Object.values(graph.loops);
  const drawn = [...sockets.flatMap(ways.ofSocket), ...loops.flatMap(ways.ofLoop)];
  return {
    name: graph.name,
    entry: graph.entry,
    sockets: sockets.map((socket) => socketJson(graph, socket)),
    edges: drawn.filter((way) => !way.then).map((way) => edgeJson(graph, way)),
    loops: loops.map(({ id, sockets: members, from, items, emptyTo }) => ({
      id,
      sockets: members,
      from,
      items: items === null ? null : items.join("."),
      emptyTo: emptyTo ?? null,
    })),
    stitches,
    worstCase: worst ? { ...worst, text: worstCaseText(graph, worst) } : null,
  };
}

function socketJson(graph: Graph, socket: GraphSocket) {
  const { id, materia, parse, generator, interactive, advance, loop, origin } = socket;
  return {
    id,
    materia,
    type: materiaOf(graph, socket).type,
    parse,
    generator,
    interactive,
    gate: isGate(materiaOf(graph, socket)),
    advance,
    loop,
    returns: [...requiredHandoffFields(graph, socket).keys()],
    origin: { target: origin.target, name: origin.name, socket: origin.socket },
  };
}

function edgeJson(graph: Graph, { id, from, to, when, via, index, maxTraversals, loop }: DrawnWay) {
  const then = via === "edge" ? graph.sockets[from]?.edges[index ?? -1]?.then : undefined;
  return {
    id,
    from,
    to,
    when,
    via,
    maxTraversals: maxTraversals ?? null,
    ...withoutUndefined({ then, loop }),
  };
}

/** [YD14] What a graph does, in at most five sentences, without a model. */
export function explainGraph(graph: Graph): readonly string[] {
  const sockets = socketsOf(graph);
  const planners = sockets.filter(({ generator }) => generator).map(({ materia }) => materia);
  return [
    planners.length === 0 ? "It plans no list." : `${listText(planners)} makes the list of work items.`,
    wayText(graph),
    backText(graph, sockets),
    effectsText(graph, sockets),
    endText(graph, sockets),
  ];
}

/** `A, B and C`, each name once. */
function listText(names: readonly string[], last = "and"): string {
  const each = [...new Set(names.map(nameText))];
  return each.length < 2 ? each.join("") : `${each.slice(0, -1).join(", ")} ${last} ${each.at(-1) ?? ""}`;
}

function wayText(graph: Graph): string {
  const steps = orderedBlocks(graph)
    .filter(({ reached }) => reached)
    .map(({ loop, rows }) => {
      const names = listText(rows.map(({ socket }) => socket.materia));
      if (!loop) return names;
      const each = loop.items === null ? "round and round" : "for each item";
      return `${each}${loop.parallel === undefined ? "" : `, ${loop.parallel} at once,`} ${names}`;
    });
  return `The way is: ${steps.join("; then ")}.`;
}

function backText(graph: Graph, sockets: readonly GraphSocket[]): string {
  const backs = sockets.flatMap((socket) =>
    socket.edges.filter(({ when, to }) => when === "not_satisfied" && to !== END).map((edge) => ({ socket, edge })),
  );
  if (backs.length === 0) return "Nothing is sent back.";
  const texts = backs.map(({ socket, edge }) => {
    const to = Object.hasOwn(graph.sockets, edge.to) ? graph.sockets[edge.to]?.materia : undefined;
    const most = edge.maxTraversals === undefined ? "" : `, at most ${edge.maxTraversals} times`;
    return `${nameText(socket.materia)} to ${nameText(to ?? edge.to)}${most}`;
  });
  return `A no leads from ${texts.join("; from ")}.`;
}

function effectsText(graph: Graph, sockets: readonly GraphSocket[]): string {
  const named = (type: string, matches = (_socket: GraphSocket): boolean => true): readonly string[] =>
    sockets.filter((each) => materiaOf(graph, each).type === type && matches(each)).map(({ materia }) => materia);
  const writers = named("agent", (each) => materiaMayWrite(materiaOf(graph, each)));
  const [programs, people] = [named("utility"), named("person")];
  const running = new Set(programs).size === 1 ? "runs a program" : "run programs";
  const parts = [
    writers.length === 0 ? "no agent writes files" : `${listText(writers)} may write files`,
    ...(programs.length === 0 ? [] : [`${listText(programs)} ${running}`]),
    ...(people.length === 0 ? [] : [`${listText(people)} asks a person`]),
  ].join("; ");
  return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`;
}

function endText(graph: Graph, sockets: readonly GraphSocket[]): string {
  const ends = sockets.filter(({ id, edges, loop, advance }) => {
    const own = loop === null ? undefined : graph.loops[loop];
    const exits = own?.exits.filter(({ from }) => from === id) ?? [];
    const leavesLoop =
      advance !== null && (exits.length === 0 || exits.some(({ targetSocketId }) => targetSocketId === END));
    return edges.length === 0 || edges.some(({ to, then }) => to === END || then === END) || leavesLoop;
  });
  const names = ends.map(({ materia }) => materia);
  return `It ends after ${listText(names, "or")}.`;
}
