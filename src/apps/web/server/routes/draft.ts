import { readLayer } from "../../../../core/catalog/layer.ts";
import type { Draft } from "../../../../core/wire/commands.ts";
import type { Workspace } from "../../../../shell/casting/workspace/workspace.ts";

/** [N37] The project as it would be with what the page has in hand; nothing of that is written anywhere but into the cast. */
export function withDraft(workspace: Workspace, draft: Draft | undefined): Workspace {
  if (!draft) return workspace;
  const { materia, loadouts } = readLayer("explicit", draft);
  const { catalog } = workspace;
  return {
    ...workspace,
    catalog: {
      ...catalog,
      materia: over(catalog.materia, materia),
      loadouts: over(catalog.loadouts, loadouts),
    },
  };
}

function over<T>(below: ReadonlyMap<string, T>, above: ReadonlyMap<string, T | null>): ReadonlyMap<string, T> {
  return new Map([
    ...below,
    ...[...above].flatMap(([name, entry]) => (entry === null ? [] : [[name, entry] as const])),
  ]);
}
