import type { Hono } from "hono";
import { RenameInTests, type NamingTests } from "../../../../../core/wire/testing.ts";
import { renameInTestFiles, testsNaming } from "../../../../../shell/testing/renamed-tests.ts";
import { jsonBody, readBody } from "../../http/body.ts";
import { refuse, refuseAll } from "../../http/reply.ts";
import { inWorkspace, type ServedProject } from "../served-project.ts";

/** [N38] Tests that say the name that something had before it was renamed. */
export function testRoutes(app: Hono, served: ServedProject): void {
  app.post(
    "/api/tests/rename",
    jsonBody(1),
    inWorkspace(served, (c, workspace) => {
      const body = readBody(c, RenameInTests);
      if (!body.ok) return refuse(c, 400, ...body.issues);
      const { tests: seen, ...rename } = body.value;
      if (!seen) return c.json({ tests: [...testsNaming(workspace, rename)] } satisfies NamingTests);
      const left = renameInTestFiles(workspace, rename, seen);
      return left.ok ? c.json({ tests: [...left.value] } satisfies NamingTests) : refuseAll(c, left.issues);
    }),
  );
}
