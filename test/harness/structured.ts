import { type EdgeInput, type SocketInput, MATERIA, always, exit } from "./loadouts.ts";
import type { TestConfig } from "./play.ts";
import type { Chance } from "./random-graph.ts";

/** As people write loadouts: one thing after the other, some of it per item, and judges that send back. */
interface Seat {
  readonly id: string;
  readonly materia: string;
  readonly loop?: string;
}

const KINDS = {
  ...MATERIA,
  Gate: { type: "utility", command: ["gate"], gate: true },
  Person: { type: "person", question: "Well?" },
  Talk: { prompt: "Talk.", parse: "json", interactive: true },
};

/** A loadout `Main` of stretches in a row: a socket, or a plan and a loop over it. */
export function structuredConfig(chance: Chance): TestConfig {
  const seats = seatsOf(chance);
  const loopNames = [...new Set(seats.flatMap((seat) => seat.loop ?? []))];
  const loops = loopNames.map((loop) => {
    const members = seats.filter((seat) => seat.loop === loop).map((seat) => seat.id);
    const last = members.at(-1) ?? "";
    const behind = seats[seats.findIndex((seat) => seat.id === last) + 1]?.id;
    const from = seats[seats.findIndex((seat) => seat.loop === loop) - 1]?.id;
    const exits = behind === undefined ? [] : [exit(last, "always", behind)];
    return [loop, { sockets: members, consumes: { from, output: "workItems" }, exits }];
  });
  const sockets = seats.map((seat, at): [string, SocketInput] => [seat.id, socketOf(chance, seats, at)]);
  const limits = { maxNoAdvanceCycles: chance.count(0, 3), maxRepairs: chance.count(0, 2) };
  const main = { entry: "Socket-1", sockets: Object.fromEntries(sockets), loops: Object.fromEntries(loops) };
  return { materia: KINDS, limits, loadouts: { Main: main } };
}

function seatsOf(chance: Chance): readonly Seat[] {
  const seats: Seat[] = [];
  const seat = (materia: string, loop?: string): void => {
    seats.push({ id: `Socket-${seats.length + 1}`, materia, ...(loop === undefined ? {} : { loop }) });
  };
  const anything = () => chance.pick("Text", "Text", "Json", "Json", "Gate", "Person", "Tool", "Talk");
  const stretches = chance.count(1, 3);
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    if (chance.happens(0.5)) seat(anything());
    else {
      seat("Plan");
      const members = chance.count(1, 3);
      for (let member = 0; member < members; member += 1) seat(anything(), `L${stretch}`);
    }
  }
  return seats;
}

function socketOf(chance: Chance, seats: readonly Seat[], at: number): SocketInput {
  const seat = seats[at] ?? { id: "", materia: "Text" };
  const follower = seats[at + 1];
  const isLast = seat.loop !== undefined && follower?.loop !== seat.loop;
  const first = seats.find((each) => each.loop !== undefined && each.loop === seat.loop);
  const onward = isLast ? (first?.id ?? "end") : (follower?.id ?? "end");
  const judges = ["Json", "Gate", "Person", "Talk"].includes(seat.materia) && chance.happens(0.8);
  const advance = isLast ? { advance: judges ? { when: "satisfied" } : {} } : {};
  if (!judges) return { materia: seat.materia, ...advance, edges: [always(onward)] };
  return {
    materia: seat.materia,
    ...advance,
    edges: [backEdge(chance, seats, at), { when: "satisfied", to: onward }],
  };
}

/** Back to something before it: in its loop, to the plan of it, or outside. */
function backEdge(chance: Chance, seats: readonly Seat[], at: number): EdgeInput {
  const seat = seats[at];
  const earlier = seats.slice(0, at + 1);
  const near = earlier.filter((each) => each.loop === seat?.loop);
  const isDoor = (each: Seat): boolean =>
    each.loop === undefined || (seat?.loop === undefined && seats.find((one) => one.loop === each.loop) === each);
  const far = earlier.filter((each) => each.loop !== seat?.loop && isDoor(each));
  const to = chance.pick(seat, ...(far.length > 0 && chance.happens(0.25) ? far : near))?.id ?? "end";
  if (chance.happens(0.25)) return { when: "not_satisfied", to };
  const edge = { when: "not_satisfied", to, maxTraversals: chance.count(1, 3) };
  if (chance.happens(0.5)) return edge;
  const later = seats.slice(at + 1).find((each) => each.loop === undefined);
  const ways = ["end", later?.id ?? "end", chance.pick(seat, ...near)?.id ?? "end"];
  return {
    ...edge,
    then: seat?.loop === undefined ? chance.pick("end", ...ways) : chance.pick("next", "next", ...ways),
  };
}
