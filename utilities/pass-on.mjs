import { readInput } from "./lib/utility.mjs";

// Without a note it prints nothing: what was handed on before stays.
const { params } = await readInput();
if (typeof params?.note === "string") process.stdout.write(`${JSON.stringify({ context: params.note })}\n`);
