import { runUtility } from "./lib/utility.mjs";

await runUtility("Pass-On", ({ params }) => ({ context: typeof params.note === "string" ? params.note : "" }));
