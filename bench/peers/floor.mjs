import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ITEMS, contend } from "./contender.mjs";

/** No engine at all: one line of JSON appended for each step before the next one is asked for. */
await contend({
  load: async () => undefined,
  compile: () => undefined,
  open: async (_library, store, step) => {
    mkdirSync(store, { recursive: true });
    const file = join(store, "steps.jsonl");
    const done = existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
    const fd = openSync(file, "a");
    const run = async () => {
      for (let at = done; at < 1 + 3 * ITEMS.length; at += 1) {
        const name = at === 0 ? "plan" : ["build", "eval", "maintain"][(at - 1) % 3];
        const cursor = at === 0 ? 0 : Math.floor((at - 1) / 3);
        await step(name, cursor);
        const output = name === "plan" ? { workItems: ITEMS } : name === "eval" ? { satisfied: true } : "done";
        writeSync(
          fd,
          `${JSON.stringify({ seq: at + 1, at: new Date().toISOString(), socket: name, visit: cursor + 1, output, usage: { input: 100, output: 20 } })}\n`,
        );
      }
    };
    return { start: run, resume: run, close: () => closeSync(fd) };
  },
});
