/** The engine alone, in a process that does nothing else: `engine.js STEPS` answers with one line of JSON. */
const { measureEngine } = await import("./engine.ts");
process.stdout.write(`${JSON.stringify(await measureEngine(Number(process.argv[2])))}\n`);
process.exit(0);
