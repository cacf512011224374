import { expect, it } from "vitest";
import { castsIn, journalOf, put } from "../harness/cli.ts";
import { newPiPlace } from "../harness/pi-place.ts";
import { startPi } from "../harness/pi-rpc.ts";
import { lastAsked, result } from "../harness/pi-seen.ts";

/** Where this Pi has virtual models, one that routes every request to `clever`; elsewhere `clever` itself is chosen. */
const ROUTER = `export default (pi) => {
  pi.registerVirtualModel?.({
    provider: "router",
    id: "auto",
    name: "Auto",
    thinkingLevels: ["low", "high"],
    route: (request, ctx) => ({ model: ctx.modelRegistry.find("stand-in", "clever"), thinkingLevel: "low" }),
  });
  pi.on("session_start", async (event, ctx) => {
    await pi.setModel(ctx.modelRegistry.find("router", "auto") ?? ctx.modelRegistry.find("stand-in", "clever"));
  });
};`;

it("[Z18] a session whose model is virtual can cast, and the model that answered is recorded", async () => {
  const place = await newPiPlace({}, { text: "a hut" });
  put(place.agentDir, { "extensions/router.ts": ROUTER });
  const pi = startPi(place);
  await pi.type("/materia link Build -- a hut");
  expect(await pi.until("the result", result)).toContain("a hut");
  expect(lastAsked(place.model)).toMatchObject({ model: "clever" });
  const [castId = ""] = castsIn(place.cwd);
  const completed = journalOf(place.cwd, castId).find(({ type }) => type === "visit_completed");
  expect(completed).toMatchObject({ model: "stand-in/clever" });
});
