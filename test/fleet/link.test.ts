import { expect, it, onTestFinished } from "vitest";
import { openLink } from "../harness/fleet/cut-link.ts";
import { eventsOn, fileOf, fleetPlace, isWaiting, letGo, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

it.each(["arrives", "is gone"] as const)(
  "[B14] a worker whose link is cut is given up, changes nothing when what it sent %s, and leaves with 75; the other goes on",
  async (old) => {
    const place = await fleetPlace();
    const link = await openLink(place.url);
    onTestFinished(link.close);
    const pace = { silentMs: 2_000 };
    const first = await place.worker({ url: link.url, pace });
    const castId = await submitted(place, "Slow");
    await until(() => isWaiting(place, "Socket-2"));
    const second = await place.worker({ pace });
    link.cut();
    // Its program goes on, and what came of it must not count.
    const state = async (): Promise<string | undefined> =>
      (
        await place.database.rows<{ state: string }>({
          text: "select state from materia.workers where worker_id = $1",
          values: [first.id],
        })
      )[0]?.state;
    await until(async () => (await state()) === "gone");
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
