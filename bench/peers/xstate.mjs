import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ITEMS, contend } from "./contender.mjs";

/** XState: the items are part of the context, and the whole snapshot is written, then renamed, at every step. */
await contend({
  load: () => import("xstate"),
  compile: ({ createMachine }, count) => {
    const states = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `s${index}`,
        index === count - 1 ? { type: "final" } : { on: { NEXT: `s${index + 1}` } },
      ]),
    );
    return createMachine({ id: "chain", initial: "s0", states });
  },
  open: async ({ assign, createActor, fromPromise, setup, waitFor }, store, step) => {
    mkdirSync(store, { recursive: true });
    const file = join(store, "snapshot.json");
    const asking = (name) => ({
      src: "ask",
      input: ({ context }) => ({ name, cursor: context.cursor }),
    });
    const machine = setup({
      actors: {
        ask: fromPromise(async ({ input: { name, cursor } }) => {
          await step(name, cursor);
          return name === "plan" ? ITEMS : name === "eval" ? { satisfied: true } : "done";
        }),
      },
    }).createMachine({
      id: "work",
      initial: "plan",
      context: { items: [], cursor: 0, reworks: 0 },
      states: {
        plan: {
          invoke: {
            ...asking("plan"),
            onDone: { target: "build", actions: assign({ items: ({ event }) => event.output }) },
          },
        },
        build: { invoke: { ...asking("build"), onDone: "eval" } },
        eval: {
          invoke: {
            ...asking("eval"),
            onDone: [
              { guard: ({ event }) => event.output.satisfied, target: "maintain" },
              {
                guard: ({ context }) => context.reworks < 3,
                target: "build",
                actions: assign({ reworks: ({ context }) => context.reworks + 1 }),
              },
            ],
          },
        },
        maintain: {
          invoke: {
            ...asking("maintain"),
            onDone: [
              {
                guard: ({ context }) => context.cursor + 1 < context.items.length,
                target: "build",
                actions: assign({ cursor: ({ context }) => context.cursor + 1, reworks: 0 }),
              },
              { target: "done" },
            ],
          },
        },
        done: { type: "final" },
      },
    });
    const run = async (snapshot) => {
      const actor = createActor(machine, snapshot ? { snapshot } : {});
      actor.subscribe(() => {
        writeFileSync(`${file}.draft`, JSON.stringify(actor.getPersistedSnapshot()));
        renameSync(`${file}.draft`, file);
      });
      actor.start();
      await waitFor(actor, (state) => state.status === "done", { timeout: Infinity });
    };
    return { start: () => run(), resume: () => run(JSON.parse(readFileSync(file, "utf8"))) };
  },
});
