import { it } from "vitest";
import { newPiPlace } from "../harness/pi-place.ts";
import { startPi } from "../harness/pi-rpc.ts";

it("[X1] try", async () => {
  const place = await newPiPlace({}, { text: "one" }, { text: "built it" }, { text: "two" });
  let t = performance.now();
  const tick = (what: string) => { console.log(what, Math.round(performance.now() - t)); t = performance.now(); };
  const pi = startPi(place);
  console.log(JSON.stringify(await pi.ask({ type: "get_state" })));
  tick("ready");
  await pi.type("hello");
  await pi.until("settled", (r) => r.type === "agent_settled" || undefined);
  tick("user");
  console.log(JSON.stringify(await pi.type("/materia link Build -- make it")));
  tick("link");
  await pi.until("result", (r) => (r.type === "message_end" && r.message.customType === "materia-result" ? r : undefined));
  tick("result");
  pi.mark();
  await pi.type("again");
  await pi.until("settled", (r) => r.type === "agent_settled" || undefined);
  tick("again");
  for (const r of pi.records) if ((r.type as string) !== "message_update") console.log(JSON.stringify(r).slice(0, 1500));
  for (const r of place.model.requests) console.log(JSON.stringify({ ...r, tools: r.tools?.map((x) => x.function.name) }).slice(0, 3000));
  console.log("exit", await pi.close(), pi.stderr());
  tick("close");
});
