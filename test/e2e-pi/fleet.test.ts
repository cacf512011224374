import { join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../git/scratch.ts";
import { put } from "../harness/cli.ts";
import { fleetPlace, isWaiting, letGo, statusOn } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { piPlaceIn } from "../harness/pi-place.ts";
import { startPi } from "../harness/pi-rpc.ts";
import { notice, result, widget } from "../harness/pi-seen.ts";

it("[B30] from Pi a cast goes to a fleet and is seen there as if it ran here, answered, and taken home", async () => {
  const place = await fleetPlace();
  const [seen, go] = [join(place.gate, "Socket-1"), join(place.gate, "go")];
  const command = `touch ${seen}; while [ -e ${seen} ] && [ ! -e ${go} ]; do sleep 0.02; done`;
  const tools = [{ name: "bash", arguments: { command } }];
  put(place.cwd, { "replies.json": { replies: { Agent: [{ tools, text: "well done" }] } } });
  const there = await piPlaceIn(place.cwd);
  // [X56] A bare `continue` shows the question and asks.
  const onDialog = () => ({ value: "Yes" });
  const pi = startPi(there, { env: { FLEET_URL: place.url }, onDialog });
  await place.worker();
  const typed = "--on f --config conf.json";
  await pi.type(`/materia cast ${typed} --trust --loadout Thinking --rehearse replies.json -- do it`);
  // What a tool does on another machine stands in the widget here.
  expect(await pi.until("live progress", widget(/bash touch/))).toMatch(/the fleet f drives it/);
  await until(() => isWaiting(place, "Socket-1"));
  letGo(place);
  expect(await pi.until("its end", result)).toContain("A materia cast completed");
  const [cast] = await place.database.query<{ cast_id: string }>({ text: "select cast_id from materia.casts" });
  const done = cast?.cast_id ?? "";
  pi.mark();
  await pi.type(`/materia casts ${typed}`);
  await pi.until("the list", notice(new RegExp(`completed +${done}`)));
  await pi.type(`/materia status last ${typed}`);
  await pi.until("where it is", notice(new RegExp(`/materia --on f link --from ${done}`)));
  await pi.type(`/materia show last ${typed}`);
  await pi.until("the story", notice(/well done/));
  await pi.type(`/materia abort ${done} ${typed}`);
  await pi.until("a refusal", notice(/cast_finished/));
  await pi.type(`/materia take last ${typed}`);
  await pi.until("the branch", notice(/is here as the branch/));
  expect(git(place.cwd, "branch", "--list", "materia/*")).toContain(done);

  pi.mark();
  await pi.type(`/materia cast ${typed} --loadout Asking -- ${place.gate}`);
  const waits = await pi.until("the question", notice(/The cast waits for you/));
  const [, asked = ""] = /continue --on f (\S+)/.exec(waits) ?? [];
  await until(async () => (await statusOn(place, asked)) === "waiting");
  await pi.type(`/materia budget ${asked} 3M ${typed}`);
  await pi.until("the budget", notice(/of 3000000 tokens/));
  pi.mark();
  await pi.type(`/materia continue ${typed} ${asked}`);
  expect(await pi.until("its end", result)).toContain("A materia cast completed");
  await pi.type("/materia fleet up");
  await pi.until("what is for a terminal", notice(/command_unavailable/));
  await pi.close();
});
