import type { OpenUi } from "../../shell/commands/open-ui.ts";
import { processIo } from "./terminal/io.ts";
import { main } from "./main.ts";
import { errorText } from "../../shell/system/files.ts";

/** Loaded on demand: no other command pays for a web server. */
const openUi: OpenUi = async (request) => (await import("../server/open-ui.ts")).openUi(request);

/** Standard output could not be written: the code of sysexits for it. */
const EXIT_OUTPUT_FAILED = 74;

// [YT8] The process that started this one in the background reads refusals only.
process.stderr.on("error", () => undefined);

// [D23] A reader that left has seen enough. Anything else, such as a full disk, lost output: report it when all else is done.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.once("exit", () => {
    process.exitCode = EXIT_OUTPUT_FAILED;
    process.stderr.write(`materia: standard output cannot be written: ${errorText(error)}\n`);
  });
});

// Set instead of calling exit: standard output may still be writing to a pipe.
process.exitCode = await main(process.argv.slice(2), processIo(process), openUi);
