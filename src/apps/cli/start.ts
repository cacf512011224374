import type { OpenUi } from "../../shell/commands/open-ui.ts";
import { processIo } from "./terminal/io.ts";
import { main } from "./main.ts";

/** Loaded on demand: no other command pays for a web server. */
const openUi: OpenUi = async (request) => (await import("../server/open-ui.ts")).openUi(request);

// Set instead of calling exit: standard output may still be writing to a pipe.
process.exitCode = await main(process.argv.slice(2), processIo(process), openUi);
