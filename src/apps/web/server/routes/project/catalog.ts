import type { Hono } from "hono";
import type { CatalogEntry } from "../../../../../core/catalog/layer.ts";
import { error } from "../../../../../core/model/issue.ts";
import { TrustRequest, type CatalogResponse } from "../../../../../core/wire/catalog.ts";
import { requireJsonBody, parseBody } from "../../http/body.ts";
import { refuse } from "../../http/reply.ts";
import { projectConfigFile, userConfigFile } from "../../../../../shell/config/config.ts";
import type { ProjectTrust } from "../../../../../shell/casting/workspace/workspace.ts";
import { VERSION } from "../../../../../shell/version.ts";
import { withWorkspace, type ServedProject } from "../served-project.ts";

/** [N20] What can be named and where it comes from; the page checks and composes it by itself. */
export function catalogRoutes(app: Hono, served: ServedProject): void {
  app.get(
    "/api/catalog",
    withWorkspace(served, (c, { catalog, configFiles, place, root, trust, fleet }) =>
      c.json({
        version: VERSION,
        cwd: place.cwd,
        root,
        fleet: fleet?.name ?? null,
        settings: catalog.settings,
        materia: [...catalog.materia.values()].map(entryJson),
        loadouts: [...catalog.loadouts.values()].map(entryJson),
        issues: [...catalog.issues],
        configFiles: [...configFiles],
        layers: { user: userConfigFile(place.env), project: projectConfigFile(place.cwd) },
        trust: trustJson(trust),
      } satisfies CatalogResponse),
    ),
  );
  app.post(
    "/api/trust",
    requireJsonBody(1),
    withWorkspace(served, (c, { trust }) => {
      const body = parseBody(c, TrustRequest);
      if (!body.ok) return refuse(c, 400, ...body.issues);
      if (trust.kind === "given") return c.json({ given: true } satisfies CatalogResponse["trust"]);
      // [N35] What was shown is what is trusted: whoever changes it meanwhile gets nothing by it.
      if (trust.digest !== body.value.digest)
        return refuse(
          c,
          412,
          error("changed", "digest", "what would run has changed since it was shown", "look again"),
        );
      trust.remember();
      return c.json({ given: true } satisfies CatalogResponse["trust"]);
    }),
  );
}

function entryJson<T>({ name, layer, file, value, partial, issues }: CatalogEntry<T>) {
  const readable = partial === undefined ? {} : { partial };
  return { name, layer, file: file ?? null, value: value ?? null, ...readable, issues: [...issues] };
}

function trustJson(trust: ProjectTrust): CatalogResponse["trust"] {
  if (trust.kind === "given") return { given: true };
  const { file, commands, watched, tooLarge, digest } = trust;
  return { given: false, file, commands: [...commands], watched: [...watched], tooLarge: [...tooLarge], digest };
}
