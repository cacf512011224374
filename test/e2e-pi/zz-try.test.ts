import { it } from "vitest";
import { newPiPlace } from "../harness/pi-place.ts";
import { startPi } from "../harness/pi-rpc.ts";

it("[X1] try", async () => {
  const place = await newPiPlace({}, { text: "one" }, { text: "Which database?" }, { text: '{"workItems":[{"title":"a","context":"b"}]}' }, { text: '{"workItems":[{"title":"a","context":"b"}]}' }, { text: "built it" }, { text: "two" }, { text: "three" }, { text: "four" });
  let t = performance.now();
  const tick = (what: string) => { console.log(what, Math.round(performance.now() - t)); t = performance.now(); };
  const pi = startPi(place);
  await pi.type("hello SECRET");
  await pi.until("settled", (r) => r.type === "agent_settled" || undefined);
  tick("user");
  pi.mark();
  console.log(JSON.stringify(await pi.type("/materia link Interactive-Plan Build -- make it")));
  await pi.until("waiting", (r) => (r.type === "extension_ui_request" && r.statusText?.includes("waits") || undefined));
  tick("waiting");
  pi.mark();
  await pi.type("use sqlite");
  await pi.until("waiting", (r) => (r.type === "extension_ui_request" && r.statusText?.includes("waits") || undefined));
  tick("waiting2");
  pi.mark();
  await pi.type("/materia continue");
  try {
  await pi.until("result", (r) => (r.type === "message_end" && r.message.customType === "materia-result" ? r : undefined));
  tick("result");
  pi.mark();
  await pi.type("again");
  await pi.until("settled", (r) => r.type === "agent_settled" || undefined);
  tick("again");
  } finally {
  for (const r of pi.records) if (!["message_update","message_start","turn_end", "agent_end"].includes(r.type as string) && !JSON.stringify(r).includes("expert coding")) console.log(JSON.stringify(r).slice(0, 700));
  for (const r of place.model.requests) console.log(JSON.stringify({ ...r, tools: r.tools?.map((x) => x.function.name), messages: r.messages.map((m) => m.role === "system" ? `S ${String(m.content).slice(0, 60)}` : m) }).slice(0, 3000));
  console.log("exit", await pi.close(), pi.stderr());
  }
});
