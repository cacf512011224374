import type { Hono } from "hono";
import { RenameInTestsRequest, type TestsWithOldName } from "../../../../../core/wire/testing.ts";
import { renameInTestFiles, findTestsNaming } from "../../../../../shell/testing/renamed-tests.ts";
import { requireJsonBody, parseBody } from "../../http/body.ts";
import { refuse, refuseByCode } from "../../http/reply.ts";
import { withWorkspace, type ServedProject } from "../served-project.ts";

/** [N38] Tests that say the name that something had before it was renamed. */
export function testRoutes(app: Hono, served: ServedProject): void {
  app.post(
    "/api/tests/rename",
    requireJsonBody(1),
    withWorkspace(served, (c, workspace) => {
      const body = parseBody(c, RenameInTestsRequest);
      if (!body.ok) return refuse(c, 400, ...body.issues);
      const { tests: seen, ...rename } = body.value;
      if (!seen) return c.json({ tests: [...findTestsNaming(workspace, rename)] } satisfies TestsWithOldName);
      const left = renameInTestFiles(workspace, rename, seen);
      return left.ok ? c.json({ tests: [...left.value] } satisfies TestsWithOldName) : refuseByCode(c, left.issues);
    }),
  );
}
