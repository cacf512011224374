import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { EMPTY_LOADOUT } from "../../../../../../core/edit/graph/base.ts";
import { draftFromLoadout, draftFromText, type LoadoutDraft } from "../../../../../../core/edit/text/draft.ts";

/** What a new loadout begins with. All but the empty one run as they are. */
export interface LoadoutTemplate {
  readonly key: string;
  readonly label: string;
  readonly draft: (name: string) => LoadoutDraft;
}

const ONE_AGENT = `{
  "entry": "Socket-1",
  "sockets": {
    "Socket-1": { "materia": "Build" }
  }
}`;

const BUILD_AND_CHECK = `{
  "entry": "Socket-1",
  "sockets": {
    "Socket-1": { "materia": "Build", "edges": [{ "when": "always", "to": "Socket-2" }] },
    "Socket-2": {
      "materia": "Auto-Eval",
      "edges": [
        { "when": "satisfied", "to": "end" },
        { "when": "not_satisfied", "to": "Socket-1", "maxTraversals": 3 }
      ]
    }
  }
}`;

/** [E28] Nothing, two small ones, and a copy of each that is bundled. */
export function loadoutTemplates(catalog: Catalog): readonly LoadoutTemplate[] {
  const bundled = [...catalog.loadouts.values()].flatMap(({ name, layer, value }) =>
    layer === "bundled" && value ? [{ name, value }] : [],
  );
  return [
    { key: "", label: "Nothing: an empty canvas", draft: (name) => draftFromLoadout(name, EMPTY_LOADOUT) },
    { key: "one agent", label: "One agent", draft: (name) => draftFromText(name, ONE_AGENT) },
    {
      key: "build and check",
      label: "Build, check, and build again",
      draft: (name) => draftFromText(name, BUILD_AND_CHECK),
    },
    ...bundled.map(({ name: key, value }) => ({
      key: `bundled ${key}`,
      label: `A copy of ${key}`,
      draft: (name: string) => draftFromLoadout(name, value),
    })),
  ];
}
