import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastId } from "../../core/model/ids.ts";
import { parseJson, type Json } from "../../core/model/json.ts";
import type { Artifacts } from "../ports.ts";
import { readArtifactText, type CastStore, type OwnedCast } from "../store/cast-store.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

/** [T37] Written before anything runs; the first cast does not change. Files come first: events name files that exist. */
export async function writePast(
  store: CastStore,
  origin: CastId,
  events: readonly CastEvent[],
  { artifacts, journal }: OwnedCast,
): Promise<string | undefined> {
  const copied = new Set<string>();
  for (const event of events) {
    if (event.type !== "visit_completed") continue;
    const { socket, visit } = event;
    for (const name of COPIED_FILES) {
      const text = await readArtifactText(store, origin, { socket, visit, name });
      if (text === undefined) continue;
      const values = name === "input.json" ? await copyValues(store, origin, text, artifacts, copied) : undefined;
      const problem = values ?? (await artifacts.write(socket, visit, name, text));
      if (problem !== undefined) return problem;
    }
  }
  return journal.append(events, 0);
}

/** [J26] Copies the large values that a text refers to, and those that they refer to in turn, each once. */
async function copyValues(
  store: CastStore,
  origin: CastId,
  text: string,
  artifacts: Artifacts,
  copied: Set<string>,
): Promise<string | undefined> {
  for (const [, digest = ""] of text.matchAll(/"\$value":\s*"([0-9a-f]{32})"/g)) {
    if (copied.has(digest)) continue;
    copied.add(digest);
    const value = (await store.readValue(origin, digest)) ?? "";
    const json = parseJson(value) as Json | undefined; // JSON is parsed to nothing else
    const stored = json === undefined ? undefined : await artifacts.storeValue(json);
    if (stored?.kind === "failed") return stored.problem;
    const problem = await copyValues(store, origin, value, artifacts, copied);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const COPIED_FILES = [
  "prompt.md",
  "output.md",
  "handoff.json",
  TRANSCRIPT_FILE,
  "input.json",
  "stdout.txt",
  "stderr.txt",
];
