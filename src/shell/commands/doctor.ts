import type { CastEvent } from "../../core/cast/event.ts";
import { apply } from "../../core/cast/apply.ts";
import { startState } from "../../core/cast/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import { ok } from "../../core/model/issue.ts";
import type { Issue, Result } from "../../core/model/issue.ts";
import { issueLines } from "../../core/view/issues.ts";
import { line, toned } from "../../core/view/text/line.ts";
import { castNamed } from "../casting/named-cast.ts";
import type { Workspace } from "../casting/workspace.ts";
import { startOf } from "../store/cast-file.ts";
import type { ArtifactPlace, CastStore } from "../store/cast-store.ts";
import type { Answer } from "./answer.ts";

/** [C26] Whether everything of a cast is sound: what it was started with, every line, every file that a line speaks of. */
export async function doctor({ store }: Workspace, named: string | undefined): Promise<Result<Answer>> {
  const id = await castNamed(store, named);
  if (!id.ok) return id;
  const castId = id.value;
  const { events, issues, places } = await examine(store, castId);
  const missing = await missingOf(store, castId, places);
  const isSound = issues.length === 0 && missing.length === 0;
  const told = `${castId}: ${events} sound ${events === 1 ? "line" : "lines"}, ${places.length - missing.length} of ${places.length} files there`;
  const lines: Answer["lines"] = () => [
    line(isSound ? toned("ok", "✓ sound  ") : toned("bad", "✗ damaged  "), told),
    ...issueLines(issues),
    ...missing.map((file) => line(toned("bad", `missing: ${file}`))),
  ];
  return ok({ code: isSound ? 0 : 1, data: { castId, sound: isSound, events, missing, issues }, lines });
}

interface Examined {
  /** Lines that are sound, up to the first that is not. */
  readonly events: number;
  readonly issues: readonly Issue[];
  readonly places: readonly ArtifactPlace[];
}

async function examine(store: CastStore, castId: CastId): Promise<Examined> {
  const places: ArtifactPlace[] = [];
  let events = 0;
  const folded = await store.fold(castId, {
    begin: (file) => {
      places.length = 0;
      events = 0;
      return startState(startOf(file));
    },
    step: (state, event) => {
      const next = apply(state, event);
      events += 1;
      places.push(...filesOf(event));
      return next;
    },
  });
  return { events, places, issues: folded.ok ? [] : folded.issues };
}

/** [J19, J20] The file that was written before the line was. */
function filesOf(event: CastEvent): readonly ArtifactPlace[] {
  return event.type === "handoff_accepted" ? [{ socket: event.socket, visit: event.visit, name: "handoff.json" }] : [];
}

async function missingOf(
  store: CastStore,
  castId: CastId,
  places: readonly ArtifactPlace[],
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const place of places)
    if (!(await store.readArtifact(castId, place, { most: 0 })))
      missing.push(`${place.socket} visit ${place.visit}, ${place.name}`);
  return missing;
}
