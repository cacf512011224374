import { isJsonObject, type Json } from "../model/values/json.ts";
import { sameJson, replacedAt } from "./text/step.ts";

/** A place that two people changed since it was opened, or only one of them. */
export interface MergedPlace {
  readonly path: readonly string[];
  readonly base: Json | undefined;
  readonly mine: Json | undefined;
  readonly theirs: Json | undefined;
  /** Who changed it; both only where they did not do the same. */
  readonly by: "mine" | "theirs" | "both";
}

type Value = Json | undefined;

/** [E24] Every place in which three versions of one thing differ: keys one by one, lists as wholes. */
export function mergedPlaces(base: Value, mine: Value, theirs: Value): readonly MergedPlace[] {
  return placesIn({ path: [], base, mine, theirs });
}

function placesIn({ path, base, mine, theirs }: Omit<MergedPlace, "by">): readonly MergedPlace[] {
  if (sameJson(mine, theirs)) return [];
  if (isJsonObject(mine) && isJsonObject(theirs) && (base === undefined || isJsonObject(base))) {
    const before = base ?? {};
    const keys = [...new Set([...Object.keys(before), ...Object.keys(theirs), ...Object.keys(mine)])];
    return keys.flatMap((key) =>
      placesIn({ path: [...path, key], base: own(before, key), mine: own(mine, key), theirs: own(theirs, key) }),
    );
  }
  const by = sameJson(base, mine) ? "theirs" : sameJson(base, theirs) ? "mine" : "both";
  return [{ path, base, mine, theirs, by }];
}

/** Mine with what only they changed, and with theirs at the places where both did and theirs was chosen. */
export function mergeJson(
  mine: Json,
  places: readonly MergedPlace[],
  takesTheirs: (place: MergedPlace) => boolean,
): Json {
  return places
    .filter((place) => place.by === "theirs" || (place.by === "both" && takesTheirs(place)))
    .reduce((merged, { path, theirs }) => replacedAt(merged, path, theirs), mine);
}

function own(object: Readonly<Record<string, Json>>, key: string): Value {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
