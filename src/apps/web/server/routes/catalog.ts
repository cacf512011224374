import type { Hono } from "hono";
import type { Entry } from "../../../../core/catalog/layer.ts";
import type { CatalogAnswer } from "../../../../core/wire/catalog.ts";
import { projectConfigFile, userConfigFile } from "../../../../shell/config/config.ts";
import type { Trust } from "../../../../shell/casting/workspace/workspace.ts";
import { VERSION } from "../../../../shell/version.ts";
import { inWorkspace } from "./served-project.ts";
import type { ServedProject } from "./served-project.ts";

/** [N20] What can be named and where it comes from; the page checks and composes it by itself. */
export function catalogRoutes(app: Hono, served: ServedProject): void {
  app.get(
    "/api/catalog",
    inWorkspace(served, (c, { catalog, configFiles, place, root, trust }) =>
      c.json({
        version: VERSION,
        cwd: place.cwd,
        root,
        settings: catalog.settings,
        materia: [...catalog.materia.values()].map(entryJson),
        loadouts: [...catalog.loadouts.values()].map(entryJson),
        issues: [...catalog.issues],
        configFiles: [...configFiles],
        layers: { user: userConfigFile(place.env), project: projectConfigFile(place.cwd) },
        trust: trustJson(trust),
      } satisfies CatalogAnswer),
    ),
  );
}

function entryJson<T>({ name, layer, file, value, partial, issues }: Entry<T>) {
  const readable = partial === undefined ? {} : { partial };
  return { name, layer, file: file ?? null, value: value ?? null, ...readable, issues: [...issues] };
}

function trustJson(trust: Trust): CatalogAnswer["trust"] {
  if (trust.kind === "given") return { given: true };
  return { given: false, file: trust.file, commands: [...trust.commands] };
}
