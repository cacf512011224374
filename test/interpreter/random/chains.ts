import { compose } from "../compose.ts";
import type { LoadoutText, Texts } from "../texts.ts";
import type { Chance } from "./chance.ts";
import type { Case } from "./worlds.ts";

const TRIES = 30;

/** Three to six parts that can be joined, most of them with loops. */
export function withChain(chance: Chance, each: Case, make: (chance: Chance) => LoadoutText): Case {
  const names = ["A", "B", "C", "D"].slice(0, chance.count(2, 4)) as [string, ...string[]]; // two at least
  const loadouts = Object.fromEntries(names.map((name) => [name, joinable(chance, each.texts, make)] as const));
  const targets = Array.from({ length: chance.count(3, 6) }, () =>
    chance.happens(0.85)
      ? `loadout:${chance.pick(...names)}`
      : `materia:${chance.pick("Text", "Json", "Plan", "Gate")}`,
  );
  return { ...each, targets, texts: { ...each.texts, loadouts } };
}

/** One that can stand before another part; the last try, if all fail. */
function joinable(chance: Chance, texts: Texts, make: (chance: Chance) => LoadoutText): LoadoutText {
  for (let tries = 1; ; tries += 1) {
    const loadout = make(chance);
    const { problems } = compose(["loadout:X", "materia:Text"], { ...texts, loadouts: { X: loadout } });
    if (!problems || tries === TRIES) return loadout;
  }
}
