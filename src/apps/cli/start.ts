import { processIo } from "./io.ts";
import { main } from "./main.ts";

// Set rather than called: standard output may still be on its way to a pipe.
process.exitCode = await main(process.argv.slice(2), processIo());
