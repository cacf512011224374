import { expect, it } from "vitest";
import { put } from "../harness/cli.ts";
import { eventsOn, fleetPlace, isWaiting, letGo, statusOn } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

const wait = { type: "utility", command: [process.execPath, "run.mjs", "wait"], parse: "json", timeoutMs: 280_000 };
const CONFIG = {
  materia: {
    Build: { type: "agent", prompt: "Build.", tools: "coding", conversation: "item" },
    Judge: { type: "agent", prompt: "Judge.", parse: "json", conversation: "item" },
    Wait: wait,
  },
  loadouts: {
    Main: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-2": { materia: "Judge", edges: [{ when: "not_satisfied", to: "Socket-1", maxTraversals: 3 }] },
        "Socket-3": { materia: "Wait", edges: [{ when: "always", to: "Socket-2" }] },
      },
    },
  },
};
const write = (content: string) => ({ name: "write", arguments: { path: "a.txt", content } });
const replies = {
  Build: [
    { tools: [write("1")], text: "built once" },
    { tools: [write("2")], text: "built twice" },
  ],
  Judge: [{ json: { satisfied: false, context: "it must say 2" } }, { json: { satisfied: true } }],
};

interface ShownPrompt {
  readonly parts: readonly { readonly kind: string; readonly text: string; readonly chars: number }[];
}

it("[I5, B48] another worker continues the conversation of a visit that was sent back", async () => {
  const place = await fleetPlace();
  put(place.cwd, { "conf.json": CONFIG, "r.json": { replies } });
  const first = await place.worker();
  const sent = await place.materia("cast", "--loadout", "Main", "--rehearse", "r.json", "--detach", place.gate);
  const castId = sent.stdout.trim();
  await until(() => isWaiting(place, "Socket-3"));
  first.kill("SIGKILL");
  await first.ended;
  const second = await place.worker();
  letGo(place);
  await until(async () => (await statusOn(place, castId)) === "completed");
  const events = await eventsOn(place, castId);
  expect(events.filter(({ type }) => type === "cast_resumed")).toMatchObject([{ worker: second.id }]);
  const continued = events.flatMap((event) =>
    event.type === "visit_started" && event.continues !== undefined ? [[event.socket, event.continues]] : [],
  );
  expect(continued).toEqual([
    ["Socket-1", 1],
    ["Socket-2", 1],
  ]);
  const shown = await place.materia("show", castId, "Socket-1#2", "--prompt", "--json");
  const { parts } = JSON.parse(shown.stdout) as ShownPrompt;
  const earlier = parts.find(({ kind }) => kind === "conversation");
  expect(earlier?.text).toBe("4 messages");
});
