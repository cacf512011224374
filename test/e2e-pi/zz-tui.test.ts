import { writeFileSync } from "node:fs";
import { it } from "vitest";
import { newPiPlace, userConfig } from "../harness/pi-place.ts";
import { KEYS, openPiTui } from "../harness/pi-tui.ts";

const SMALL = {
  materia: {
    Draft: { prompt: "You draft.", tools: "readOnly", generator: true, model: "stand-in/clever", thinking: "high" },
    Make: { prompt: "You make.", tools: "coding" },
    Judge: { prompt: "You judge.", tools: "none", parse: "json" },
  },
  loadouts: {
    Small: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Draft", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Make", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": {
          materia: "Judge",
          advance: { when: "satisfied" },
          edges: [
            { when: "not_satisfied", to: "Socket-2", maxTraversals: 2 },
            { when: "satisfied", to: "Socket-2" },
          ],
        },
      },
      loops: { each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
    },
  },
};
const PLAN = JSON.stringify({ workItems: ["Add a greeting for each language", "Document it in the README"].map((title) => ({ title, context: "about " + title })) });
let n = 0;
const dump = (name: string, text: string) => { n += 1; writeFileSync(`/tmp/screens/${String(n).padStart(2, "0")}-${name}.txt`, text + "\n"); };

it("[X1] look at it", async () => {
  const h1 = Promise.withResolvers<void>();
  const h2 = Promise.withResolvers<void>();
  const place = await newPiPlace(userConfig(SMALL), 
      { text: "Hello! What shall we do today?", usage: { input: 1200, output: 60 } },
      { text: PLAN, usage: { input: 5000, output: 350 } },
      { call: { name: "write", arguments: { path: "greet.js", content: "export const greet = () => 'hi';\n" } } },
      { call: { name: "bash", arguments: { command: "node --test 2>&1 | tail -5; ls -la" } } },
      { text: "I have added **greet.js** with a greeting for each language. The tests pass. Some more words follow here to make it longer than one line.", until: h1.promise, usage: { input: 9000, output: 800 } },
      { text: `{"satisfied":false,"context":"greet() does not know French: node -e \\"import('./greet.js')\\" prints hi"}`, usage: { input: 3000, output: 100 } },
      { text: "Added French.\n\n- greet.js: fr\n- test", usage: { input: 9000, output: 800 } },
      { text: `{"satisfied":true}`, usage: { input: 3000, output: 100 } },
      { text: "Documented it.", usage: { input: 9000, output: 800 }, until: h2.promise },
      { text: `{"satisfied":true,"context":"all there"}`, usage: { input: 3000, output: 100 } },
      { text: "You are welcome." },
      { hang: "after text" },
  );
  const pi = await openPiTui(place);
  await pi.send("hello");
  await pi.sees(/What shall we do/);
  dump("hello", pi.view());
  pi.type("/materia ");
  await pi.sees(/→ cast/);
  dump("completion", pi.view());
  pi.type("li");
  await pi.sees(/→ link/);
  pi.type(KEYS.tab);
  await pi.sees(/\/materia link/);
  pi.type("loadout:");
  await pi.sees(/→ loadout:/);
  dump("completion-loadout", pi.view());
  pi.type(KEYS.escape);
  await pi.loses(/→ loadout/);
  pi.type(KEYS.ctrlC);
  await pi.loses(/loadout:/);
  await pi.send("/materia cast --loadout Small Add a greeting in several languages");
  await pi.sees(/running/, /» /);
  dump("running", pi.view());
  pi.type("meanwhile I type");
  await pi.sees(/meanwhile I type/);
  dump("running-typed", pi.view());
  pi.type(KEYS.ctrlO);
  await pi.sees(/Tool output: expanded/);
  dump("running-expanded", pi.view());
  pi.type(KEYS.ctrlO);
  pi.type(KEYS.enter);
  await pi.sees(/Kept until/);
  dump("kept", pi.view());
  h1.resolve();
  await pi.sees(/» Docu/);
  dump("item2", pi.view());
  h2.resolve();
  await pi.sees(/✓ completed/, /You are welcome/);
  dump("end", pi.view());
  dump("end-all", pi.screen());
  pi.type(KEYS.ctrlO);
  await pi.sees(/ctrl/).catch(() => undefined);
  dump("end-expanded", pi.screen());
  pi.type(KEYS.ctrlO);
  await pi.send("/materia show");
  await pi.sees(/all there/);
  dump("show", pi.screen());
  await pi.send("/materia casts");
  await pi.sees(/status +cast/);
  dump("casts", pi.view());
  await pi.send("/materia grid Small");
  await pi.sees(/Socket-3/);
  dump("grid", pi.view());
  await pi.send("/materia link Make -- never end");
  await pi.sees(/» thinking aloud/);
  dump("hang", pi.view());
  pi.type(KEYS.escape);
  await pi.sees(/aborted/);
  dump("aborted", pi.view());
  await pi.send("/materia lnik");
  await pi.sees(/did you mean|"link"/);
  dump("unknown", pi.view());
  await pi.send("/materia");
  await pi.sees(/demo/);
  dump("help", pi.screen());
  pi.type(KEYS.ctrlD);
  dump("exit", String(await pi.exited));
});
