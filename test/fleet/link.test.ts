import { expect, it, onTestFinished } from "vitest";
import { openLink } from "../harness/fleet/cut-link.ts";
import { eventsOn, fileOf, fleetPlace, isWaiting, letGo, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import { untilGivenUp } from "../harness/fleet/silence.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

it.each(sampleCases(["arrives", "is gone"] as const))(
  "[B14, B57] a worker without network is evicted, changes nothing when its data %s, and exits with 75; another continues",
  SWEEP,
  async (old) => {
    const place = await fleetPlace();
    const link = await openLink(place.url);
    onTestFinished(link.close);
    const first = await place.worker({ url: link.url });
    const castId = await submitted(place, "Slow");
    await until(() => isWaiting(place, "Socket-2"));
    const second = await place.worker();
    link.cut();
    // Its program goes on, and what came of it must not count.
    await untilGivenUp(place.database, first.id);
    letGo(place);
    await until(async () => (await statusOn(place, castId)) === "completed");
    const before = await eventsOn(place, castId);
    expect(before.flatMap((event) => (event.type === "cast_resumed" ? [event.by] : []))).toEqual([
      `worker ${second.id}`,
    ]);
    link.mend(old);
    expect(await first.ended).toBe(75);
    expect(await eventsOn(place, castId)).toEqual(before);
    expect((await place.materia("take", castId)).code).toBe(0);
    expect(fileOf(place.cwd, `materia/${castId}`, "work.log")).toBe("Socket-1\nSocket-2\nSocket-3");
  },
);
