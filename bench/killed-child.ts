import { startAndHang } from "./durability.ts";

/** A cast that comes half way and waits there to be killed. */
const [scratch = "", steps = "0"] = process.argv.slice(2);
const { root, castId } = await startAndHang(scratch, Number(steps));
process.stdout.write(`${JSON.stringify({ root, castId })}\n`);
setInterval(() => undefined, 60_000);
