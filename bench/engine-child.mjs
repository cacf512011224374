/** The engine alone, in a process that does nothing else: `engine.js STEPS` answers with one line of JSON. */
const { measureEngine } = await import("./engine.ts");
const { peakKilobytes } = await import("./peers/peak-memory.mjs");
const figures = { ...(await measureEngine(Number(process.argv[2]))), peakMb: peakKilobytes() / 1024 };
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit(0);
