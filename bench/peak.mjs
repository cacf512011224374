import { peakKilobytes } from "./peers/peak-memory.mjs";

/** Loaded before a program, it says at its end how much memory that had at most, in kilobytes. */
process.on("exit", () => process.stderr.write(`peak ${peakKilobytes()}\n`));
