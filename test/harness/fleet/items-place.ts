import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitAll } from "../../git/scratch.ts";
import { put } from "../cli.ts";
import { fleetPlace, statusOn, type FleetPlace } from "./fleet-place.ts";
import { until } from "./start-worker.ts";

/** The list is as long as the folder of gates says. An item reports that it started, waits while its gate is closed, and writes its file, and a shared file if it should; it removes conflict marks. */
const ITEM = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
const input = JSON.parse(await new Promise((done) => { let text = ""; process.stdin.on("data", (c) => (text += c)).on("end", () => done(text)); }));
const [what] = process.argv.slice(2);
const gate = input.request.trim();
const has = (name) => existsSync(gate + "/" + name);
const say = (value) => console.log(JSON.stringify(value));
if (what === "list") say({ workItems: JSON.parse(readFileSync(gate + "/items.json", "utf8")) });
else if (what === "item") {
  const key = input.itemKey;
  appendFileSync(gate + "/at-" + key, process.ppid + "\\n");
  while (has("hold-" + key) && !has("go")) await new Promise((done) => setTimeout(done, 20));
  if (has("takes")) await new Promise((done) => setTimeout(done, Number(readFileSync(gate + "/takes", "utf8"))));
  writeFileSync(key + ".txt", key + "\\n");
  if (has("shared")) {
    const lines = existsSync("shared.txt") ? readFileSync("shared.txt", "utf8").split("\\n") : [];
    writeFileSync("shared.txt", [...lines.filter((line) => line !== "" && !/^[<=>]{7}/.test(line) && line !== key), key, ""].join("\\n"));
  }
  say({ satisfied: true });
} else {
  writeFileSync("last.txt", "last\\n");
  say({ satisfied: true });
}
`;

const program = (what: string) => ({
  type: "utility",
  command: [process.execPath, "item.mjs", what],
  parse: "json",
  timeoutMs: 280_000,
});

function loop(member: string, lanes: number) {
  return {
    entry: "Socket-1",
    sockets: {
      "Socket-1": { materia: "List", edges: [{ when: "always", to: "Socket-2" }] },
      "Socket-2": {
        materia: member,
        advance: { when: "always" },
        edges: [{ when: "always", to: "Socket-2" }],
      },
      "Socket-3": { materia: "Last", edges: [] },
    },
    loops: {
      items: {
        sockets: ["Socket-2"],
        parallel: lanes,
        consumes: { from: "Socket-1", output: "workItems" },
        exits: [{ id: "out", from: "Socket-2", condition: "always", targetSocketId: "Socket-3" }],
      },
    },
  };
}

const CONFIG = {
  activeLoadout: "Two",
  materia: {
    List: { ...program("list"), generator: true },
    Item: program("item"),
    Last: program("last"),
    Agent: { type: "agent", prompt: "Do it.", tools: "coding", parse: "text" },
  },
  loadouts: { One: loop("Item", 1), Two: loop("Item", 2), Four: loop("Item", 4), Agents: loop("Agent", 4) },
};

export interface ItemsPlace extends FleetPlace {
  /** Files in the folder that items look into. */
  readonly gates: (...names: readonly string[]) => void;
  /** How often each item has begun its work. */
  readonly began: () => readonly string[];
}

/** A project whose loadouts work on so many items, two or four at once. */
export async function itemsPlace(items: number | readonly object[]): Promise<ItemsPlace> {
  const place = await fleetPlace();
  put(place.cwd, { "conf.json": CONFIG, "item.mjs": ITEM });
  commitAll(place.cwd);
  mkdirSync(place.gate, { recursive: true });
  const list =
    typeof items === "number"
      ? Array.from({ length: items }, (_, index) => ({ title: `item ${index + 1}`, context: "" }))
      : items;
  writeFileSync(join(place.gate, "items.json"), JSON.stringify(list));
  return {
    ...place,
    gates: (...names) => {
      for (const name of names) writeFileSync(join(place.gate, name), "");
    },
    began: () =>
      readdirSync(place.gate)
        .filter((name) => name.startsWith("at-"))
        .toSorted(),
  };
}

export function hasBegun({ gate }: FleetPlace, key: string): boolean {
  return existsSync(join(gate, `at-${key}`));
}

export async function ended(place: FleetPlace, castId: string): Promise<string> {
  return until(async () => {
    const status = await statusOn(place, castId);
    return ["completed", "not_satisfied", "failed", "aborted"].includes(status) && status;
  });
}
