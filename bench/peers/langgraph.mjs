import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ITEMS, contend } from "./contender.mjs";

/** LangGraph.js with its SQLite checkpointer; `LANGGRAPH_STATE=cursor` keeps the items out of the state. */
const stateUpdate = process.env["LANGGRAPH_STATE"] !== "cursor";

await contend({
  load: async () => ({
    ...(await import("@langchain/langgraph")),
    ...(await import("@langchain/langgraph-checkpoint-sqlite")),
  }),
  compile: ({ Annotation, END, START, StateGraph }, count) => {
    const graph = new StateGraph(Annotation.Root({ at: Annotation() }));
    for (let index = 0; index < count; index += 1) graph.addNode(`n${index}`, () => ({}));
    graph.addEdge(START, "n0");
    for (let index = 1; index < count; index += 1) graph.addEdge(`n${index - 1}`, `n${index}`);
    graph.addEdge(`n${count - 1}`, END);
    return graph.compile();
  },
  open: async ({ Annotation, END, START, SqliteSaver, StateGraph }, store, step) => {
    mkdirSync(store, { recursive: true });
    const saver = SqliteSaver.fromConnString(join(store, "checkpoints.db"));
    const State = Annotation.Root({
      ...(stateUpdate ? { items: Annotation() } : {}),
      cursor: Annotation(),
      satisfied: Annotation(),
      reworks: Annotation(),
    });
    const graph = new StateGraph(State)
      .addNode("plan", async () => {
        await step("plan", 0);
        return { ...(stateUpdate ? { items: ITEMS } : {}), cursor: 0, reworks: 0 };
      })
      .addNode("build", async ({ cursor }) => {
        await step("build", cursor);
        return { satisfied: false };
      })
      .addNode("eval", async ({ cursor, reworks }) => {
        await step("eval", cursor);
        return { satisfied: true, reworks: reworks + 1 };
      })
      .addNode("maintain", async ({ cursor }) => {
        await step("maintain", cursor);
        return { cursor: cursor + 1, reworks: 0 };
      })
      .addEdge(START, "plan")
      .addEdge("plan", "build")
      .addEdge("build", "eval")
      .addConditionalEdges("eval", ({ satisfied, reworks }) => (satisfied ? "maintain" : reworks < 3 ? "build" : END), [
        "maintain",
        "build",
        END,
      ])
      .addConditionalEdges("maintain", ({ cursor }) => (cursor < ITEMS.length ? "build" : END), ["build", END])
      .compile({ checkpointer: saver });
    // Written before the next step begins, as the workload asks.
    const config = { configurable: { thread_id: "work" }, recursionLimit: 1_000_000, durability: "sync" };
    return {
      start: () => graph.invoke({}, config),
      resume: () => graph.invoke(null, config),
      close: () => saver.db.close(),
    };
  },
});
