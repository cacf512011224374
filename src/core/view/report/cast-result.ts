import type { CastEvent } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import type { VisitRecord } from "../../history/visits.ts";
import { isJsonObject } from "../../model/json.ts";
import { incompleteReason, lastReply } from "./next-steps.ts";
import { modelText } from "./visit-detail.ts";

/** [W44] What a finished cast brought, apart from its figures. */
export interface FinishedWork {
  /** The last report. */
  readonly words: string;
  readonly branch: string | null;
  /** Programs and people that judged the result and were satisfied at last. */
  readonly gates: readonly { readonly materia: string; readonly times: number }[];
  /** Why it is not satisfied, and items that were given up. */
  readonly openPoints: readonly string[];
  readonly models: readonly string[];
  /** Commands that show the work. */
  readonly commands: readonly string[];
}

export function castResult(
  state: CastState,
  events: readonly CastEvent[],
  visits: readonly Pick<VisitRecord, "materia" | "socket" | "outcome" | "model" | "givenUp" | "item">[],
): FinishedWork {
  const branch = branchIn(Object.values(state.data));
  const [first] = events;
  const files = first?.type === "cast_started" ? first.files : undefined;
  const from = files && "commit" in files ? files.commit.slice(0, 9) : null;
  const reason = incompleteReason(state).trim();
  return {
    words: lastReply(state),
    branch,
    gates: passedGates(visits),
    openPoints: [
      ...(reason === "" ? [] : [reason]),
      ...visits.flatMap(({ givenUp, item }) =>
        givenUp === null
          ? []
          : [`${item?.title ?? "An item"} was given up: ${givenUp.trim() || "no reason was given"}`],
      ),
    ],
    models: [...new Set(visits.flatMap(({ model }) => (model === null ? [] : [modelText(model)])))],
    commands: [
      ...(branch === null ? [] : [`git log --stat ${from === null ? "" : `${from}..`}${branch}`]),
      ...(from === null ? [] : [`materia diff ${state.castId}`]),
    ],
  };
}

/** The judges whose last word was yes, with the number of their yeses. */
function passedGates(
  visits: readonly Pick<VisitRecord, "materia" | "socket" | "outcome">[],
): readonly { readonly materia: string; readonly times: number }[] {
  const judged = Map.groupBy(
    visits.filter(({ outcome }) => outcome === "satisfied" || outcome === "not_satisfied"),
    ({ socket }) => socket,
  );
  return [...judged.values()].flatMap((all) => {
    const last = all.at(-1);
    if (last?.outcome !== "satisfied") return [];
    return [{ materia: last.materia, times: all.filter(({ outcome }) => outcome === "satisfied").length }];
  });
}

/** The branch that a bundled utility put into the state: `{ "kind": "git", "branch": "…" }`. */
function branchIn(values: readonly unknown[]): string | null {
  for (const value of values)
    if (isJsonObject(value) && value["kind"] === "git" && typeof value["branch"] === "string") return value["branch"];
  return null;
}
