import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseEvent } from "../../src/core/cast/state/event.ts";
import { next } from "../../src/core/cast/next.ts";
import { layoutInFolder } from "../../src/shell/store/layout.ts";
import { readCastFile } from "../../src/shell/store/files/read-cast.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import { readJournal } from "../harness/journals.ts";
import { after } from "../harness/seats.ts";

const RUN = join(import.meta.dirname, "../fixtures/format-1/limits");

function loaded() {
  const file = readCastFile(layoutInFolder(RUN));
  if (!file.ok) throw new Error(file.issues[0]?.message);
  const journal = readJournal(join(RUN, "journal.jsonl"), castStartOf(file.value));
  if (!journal.ok) throw new Error(journal.issues[0]?.message);
  return { graph: file.value.graph, ...journal.value };
}

describe("[J23] a journal of the first format", () => {
  it("[J23] every way is known by its place", () => {
    const taken = loaded().events.flatMap((event) =>
      event.type === "edge_taken" ? [`${event.from} ${event.via} ${event.index}`] : [],
    );
    expect(taken.slice(0, 6)).toEqual([
      "Socket-1 edge 0",
      "Socket-2 edge 0",
      "Socket-3 edge 0",
      "Socket-2 edge 0",
      "Socket-3 edge 1",
      "Socket-2 edge 0",
    ]);
    expect(taken).toContain("Socket-3 exit 1");
  });

  it("[J23] a refused way is a fact", () => {
    const limits = loaded().events.flatMap((event) => (event.type === "limit_reached" ? [event.where] : []));
    expect(limits).toEqual([
      {
        socket: "Socket-3",
        to: "Socket-2",
        via: "edge",
        index: 1,
        when: "not_satisfied",
        item: { title: "b" },
      },
      { socket: "Socket-5", to: "Socket-4" },
    ]);
  });

  it("[J23] what an allowance counts for is found, so that the cast goes on", () => {
    const { state } = loaded();
    const raised = after(state, { type: "limits_raised", allow: 1 }, { type: "cast_resumed", by: "recast" });
    expect(next(raised)).toMatchObject({ kind: "record", events: [{ type: "edge_taken", to: "Socket-4" }] });
  });

  it("[J23] a listing reads its events without the graph", () => {
    const lines = readFileSync(join(RUN, "journal.jsonl"), "utf8").trim().split("\n");
    expect(lines.filter((line) => typeof parseEvent(JSON.parse(line)) === "string")).toEqual([]);
  });

  it.each<[sentence: string, facts: object]>([
    ["1200 of 2000 tokens are used", { limit: "maxTokens", used: 1200, of: 2000 }],
    ["$0.50 of $1.25 are used", { limit: "maxCostUsd", used: 0.5, of: 1.25 }],
    ["$0.00 of $1e-7 are used", { limit: "maxCostUsd", used: 0, of: 1e-7 }],
  ])("[J23] the warning “%s” becomes facts", (message, facts) => {
    const event = { seq: 1, at: "2026-01-02T03:04:05.678Z", type: "cast_warned" };
    expect(parseEvent({ ...event, message })).toEqual({ ...event, ...facts });
  });

  it.each<[string, unknown]>([
    ["a warning about nothing", { type: "cast_warned", seq: 1, at: "", message: "mind the gap" }],
    ["no text", { type: "limit_reached", seq: 1, at: "", where: 3 }],
    ["a way from nowhere", { type: "edge_taken", seq: 1, at: "", from: 7, via: "edge", to: "end" }],
  ])("[J23] %s is refused, not misread", (_title, value) => {
    expect(parseEvent(value, () => loaded().graph)).toEqual(expect.any(String));
  });
});
