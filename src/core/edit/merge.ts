import { isJsonObject, type Json } from "../model/values/json.ts";
import { isSameJson, withJsonAt } from "./text/step.ts";

/** A place that two people changed since it was opened, or only one of them. */
export interface MergeDifference {
  readonly path: readonly string[];
  readonly base: Json | undefined;
  readonly mine: Json | undefined;
  readonly theirs: Json | undefined;
  /** Who changed it; both only where they did not do the same. */
  readonly by: "mine" | "theirs" | "both";
}

type OptionalJson = Json | undefined;

/** [E24] Every place in which three versions of one thing differ: keys one by one, lists as wholes. */
export function findMergeDifferences(base: OptionalJson, mine: OptionalJson, theirs: OptionalJson): readonly MergeDifference[] {
  return differencesIn({ path: [], base, mine, theirs });
}

function differencesIn({ path, base, mine, theirs }: Omit<MergeDifference, "by">): readonly MergeDifference[] {
  if (isSameJson(mine, theirs)) return [];
  if (isJsonObject(mine) && isJsonObject(theirs) && (base === undefined || isJsonObject(base))) {
    const before = base ?? {};
    const keys = [...new Set([...Object.keys(before), ...Object.keys(theirs), ...Object.keys(mine)])];
    return keys.flatMap((key) =>
      differencesIn({ path: [...path, key], base: ownProperty(before, key), mine: ownProperty(mine, key), theirs: ownProperty(theirs, key) }),
    );
  }
  const by = isSameJson(base, mine) ? "theirs" : isSameJson(base, theirs) ? "mine" : "both";
  return [{ path, base, mine, theirs, by }];
}

/** Mine with what only they changed, and with theirs at the places where both did and theirs was chosen. */
export function mergeJson(
  mine: Json,
  places: readonly MergeDifference[],
  takesTheirs: (place: MergeDifference) => boolean,
): Json {
  return places
    .filter((place) => place.by === "theirs" || (place.by === "both" && takesTheirs(place)))
    .reduce((merged, { path, theirs }) => withJsonAt(merged, path, theirs), mine);
}

function ownProperty(object: Readonly<Record<string, Json>>, key: string): OptionalJson {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
