import { expect, it } from "vitest";
import { newPiPlace } from "../harness/pi-place.ts";
import { KEYS, openPiTuiAt } from "../harness/pi-tui.ts";

const HINDI = "यह हिन्दी में लिखा हुआ एक बहुत लंबा वाक्य है जिसमें क्षत्रिय और ज्ञान जैसे शब्द हैं।";
const THAI = "ภาษาไทยไม่มีช่องว่างระหว่างคำและกำลังทำงานอยู่น้ำท่วม";
const MIXED = `${HINDI} ${THAI} မြန်မာဘာသာစကား ភាសាខ្មែរ தமிழ் বাংলা 👩‍👩‍👧‍👦🇩🇪 مرحبا`;

it("[X33, X34] text of any script is drawn at 60 columns, and drawn again when the session is opened anew", async () => {
  const held = Promise.withResolvers<void>();
  const plan = JSON.stringify({ workItems: [{ title: MIXED, context: MIXED }] });
  const place = await newPiPlace({}, { text: plan }, { text: `${MIXED}\n\n${MIXED}`, until: held.promise });
  const size = { columns: 60, rows: 24 };
  const pi = await openPiTuiAt(size, place);
  pi.type(`/materia link Planner Build -- ${HINDI}`);
  await pi.sees(/शब्द/);
  pi.type(KEYS.enter);
  await pi.sees(/» /);
  held.resolve();
  await pi.sees(/materia record /);
  pi.type(KEYS.ctrlO);
  pi.type(KEYS.ctrlD);
  expect(await pi.exited).toBe(0);
  const again = await openPiTuiAt({ ...size, rows: 80 }, place, "--continue");
  again.type(KEYS.ctrlD);
  expect(await again.exited).toBe(0);
  expect(again.screen()).toContain("completed");
});
