import { mergeLayers, type Catalog } from "../../src/core/catalog/catalog.ts";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { checkTarget } from "../../src/core/compile/targets/compile.ts";
import { loadoutToJson } from "../../src/core/edit/loadout-draft.ts";
import type { Issue, Result } from "../../src/core/model/issue.ts";
import { Loadout } from "../../src/core/model/loadout.ts";
import * as v from "valibot";
import { FULL_AUTO, type LoadoutInput } from "../harness/build.ts";

export function loadout(input: LoadoutInput = FULL_AUTO): Loadout {
  return v.parse(Loadout, input);
}

/** The value of an edit that must not be refused, read once more through the schema. */
export function done(result: Result<Loadout>): Loadout {
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join("\n"));
  return v.parse(Loadout, loadoutToJson(result.value));
}

export function refusal(result: Result<Loadout>): string {
  return result.ok ? "not refused" : (result.issues[0]?.message ?? "");
}

export const CATALOG: Catalog = mergeLayers([bundledLayer()]);

export function isGenerator(materia: string): boolean {
  const value = CATALOG.materia.get(materia)?.value;
  return value?.type !== "person" && value?.generator === true;
}

export function problemsOf(value: Loadout, name = "Main"): readonly Issue[] {
  const entry = readLayer("project", { loadouts: { [name]: loadoutToJson(value) } }).loadouts.get(name);
  if (!entry) throw new Error("it cannot be read");
  return checkTarget({ kind: "loadout", name, entry }, CATALOG, 1).issues;
}

export const CHAIN: LoadoutInput = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Auto-Plan", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": {
      materia: "Auto-Eval",
      edges: [
        { when: "satisfied", to: "Socket-4" },
        { when: "not_satisfied", to: "Socket-2", maxTraversals: 3 },
      ],
    },
    "Socket-4": { materia: "Maintain", edges: [{ when: "always", to: "Socket-5" }] },
    "Socket-5": { materia: "Narrate" },
  },
};
