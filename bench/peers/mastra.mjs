import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ITEMS, contend } from "./contender.mjs";

/** Mastra with libSQL: `foreach` over the items, each item a workflow of three steps; a killed run is taken up by `restart`. */
await contend({
  load: async () => ({
    ...(await import("@mastra/core/mastra")),
    ...(await import("@mastra/core/workflows")),
    ...(await import("@mastra/libsql")),
    ...(await import("zod")),
  }),
  compile: ({ createStep, createWorkflow, z }, count) => {
    const schemas = { inputSchema: z.any(), outputSchema: z.any() };
    let chain = createWorkflow({ id: "chain", ...schemas });
    for (let index = 0; index < count; index += 1) {
      chain = chain.then(createStep({ id: `s${index}`, ...schemas, execute: async () => ({}) }));
    }
    // Not returned: a workflow has a method `then`, so it cannot be awaited.
    chain.commit();
  },
  open: async ({ LibSQLStore, Mastra, createStep, createWorkflow, z }, store, step) => {
    mkdirSync(store, { recursive: true });
    const schemas = { inputSchema: z.any(), outputSchema: z.any() };
    const asking = (id) =>
      createStep({
        id,
        ...schemas,
        execute: async ({ inputData: { cursor } }) => {
          await step(id, cursor);
          return id === "eval" ? { cursor, satisfied: true } : { cursor };
        },
      });
    const item = createWorkflow({ id: "item", ...schemas })
      .then(asking("build"))
      .then(asking("eval"))
      .then(asking("maintain"))
      .commit();
    const plan = createStep({
      id: "plan",
      ...schemas,
      execute: async () => {
        await step("plan", 0);
        return ITEMS.map((each, cursor) => ({ ...each, cursor }));
      },
    });
    const work = createWorkflow({ id: "work", ...schemas })
      .then(plan)
      .foreach(item, { concurrency: 1 })
      .commit();
    const storage = new LibSQLStore({ id: "bench", url: `file:${join(store, "mastra.db")}` });
    const mastra = new Mastra({ workflows: { work }, storage, logger: false });
    const run = await mastra.getWorkflow("work").createRun({ runId: "bench" });
    const must = async (result) => {
      const { status, error } = await result;
      if (status !== "success") throw new Error(`the run ended as ${status}: ${error?.message ?? error ?? ""}`);
    };
    return {
      start: () => must(run.start({ inputData: {} })),
      resume: () => must(run.restart()),
      close: () => storage.close(),
    };
  },
});
