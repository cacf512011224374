import type { EventOf } from "../../../../core/cast/state/event.ts";
import type { CastId } from "../../../../core/model/ids.ts";
import { excerptAround, type Found, type FoundIn } from "../../../../core/wire/find.ts";
import { transcriptMessage } from "../../../../core/wire/transcript.ts";
import type { CastStore } from "../../../../shell/store/cast-store.ts";
import type { Feed } from "../http/stream.ts";
import { say } from "./say.ts";

/** A search ends where enough was found or read: nobody reads on beyond that, and no cost grows with the past. */
const MOST_FOUND = 200;
const MOST_CASTS = 1_000;
const MOST_BYTES = 512 * 1024 * 1024;
/** Of one file only the beginning is looked through. */
const MOST_OF_A_FILE = 4 * 1024 * 1024;

export interface Search {
  readonly needle: string;
  /** The casts to look through, newest first. */
  readonly casts: readonly CastId[];
}

/** [N36] What is found, as it is found; nothing is read before the listener has taken what came before. */
export function searchFeed(store: CastStore, search: Search): Feed {
  const found = searchCasts(store, search);
  let isOver = false;
  return {
    next: async () => {
      const { value, done } = await found.next();
      isOver = done === true;
      return isOver ? undefined : value;
    },
    isOver: () => isOver,
    close: () => void found.return(undefined),
  };
}

async function* searchCasts(store: CastStore, { needle, casts }: Search): AsyncGenerator<string, undefined> {
  const left = { found: MOST_FOUND, bytes: MOST_BYTES };
  let looked = 0;
  for (const castId of casts.slice(0, MOST_CASTS)) {
    if (left.found <= 0 || left.bytes <= 0) break;
    looked += 1;
    for await (const hit of foundIn(store, castId, { needle, left })) {
      yield say({ kind: "found", data: hit });
      left.found -= 1;
      if (left.found <= 0) break;
    }
  }
  yield say({
    kind: "over",
    data: { casts: looked, isCut: looked < casts.length || left.found <= 0 || left.bytes <= 0 },
  });
  return undefined;
}

const FILES = [
  ["output", "output.md"],
  ["output", "stdout.txt"],
  ["output", "stderr.txt"],
  ["prompt", "prompt.md"],
  ["prompt", "input.json"],
  ["handoff", "handoff.json"],
  ["tools", "transcript.jsonl"],
] as const satisfies readonly (readonly [FoundIn, string])[];

async function* foundIn(
  store: CastStore,
  castId: CastId,
  { needle, left }: { readonly needle: string; readonly left: { bytes: number } },
): AsyncGenerator<Found> {
  const visits: EventOf<"visit_started">[] = [];
  const folded = await store.fold(castId, {
    begin: ({ request }) => request,
    step: (request, event) => {
      if (event.type === "visit_started") visits.push(event);
      return request;
    },
  });
  const request = folded.ok ? folded.value.value : "";
  for (const { socket, visit, materia } of visits) {
    const seen = new Set<FoundIn>();
    for (const [where, name] of FILES) {
      if (seen.has(where) || left.bytes <= 0) continue;
      const part = await store.readArtifact(castId, { socket, visit, name }, { most: MOST_OF_A_FILE });
      if (!part) continue;
      left.bytes -= part.bytes.length;
      const text = Buffer.from(part.bytes).toString("utf8");
      const excerpt = name === "transcript.jsonl" ? inCalls(text, needle) : excerptAround(text, needle);
      if (!excerpt) continue;
      seen.add(where);
      yield { castId, request, socket, visit, materia, in: where, ...excerpt };
    }
  }
}

/** What tools were given and what they said; what the agent said stands in its output. */
function inCalls(transcript: string, needle: string): ReturnType<typeof excerptAround> {
  for (const line of transcript.split("\n")) {
    const message = transcriptMessage(line);
    if (!message || typeof message.content === "string") continue;
    const texts = message.content.flatMap((part) => {
      if (part.type === "toolCall") return argumentTexts(part.arguments);
      return message.role === "toolResult" ? [part.text ?? ""] : [];
    });
    for (const text of texts) {
      const excerpt = excerptAround(text, needle);
      if (excerpt) return excerpt;
    }
  }
  return undefined;
}

function argumentTexts(args: unknown): readonly string[] {
  if (typeof args === "string") return [args];
  if (typeof args !== "object" || args === null) return [];
  return Object.values(args).flatMap(argumentTexts);
}
