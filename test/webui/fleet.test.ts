import { expect, it } from "vitest";
import { fleetPage } from "../harness/fleet/fleet-page.ts";
import { fleetPlace, isWaiting, letGo, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { DARK, SMALL, WIDE, expectSound } from "./axe.ts";
import { look, says, withPages } from "./cast-page.ts";

withPages();

it("[B26, B28, B29] the browser shows a fleet's workers and casts, the queue with reasons, and how a cast moved", async () => {
  const place = await fleetPlace();
  const served = await fleetPage(place);
  const first = await place.worker();
  const moving = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  const { page, complaints } = await look(served, "fleet");
  await says(page, "1 worker up, 1 of 2 places taken, 0 casts waiting");
  await says(page, first.id);
  first.kill("SIGSTOP");
  const second = await place.worker();
  first.kill("SIGKILL");
  await says(page, /^last heard/);
  letGo(place);
  await until(async () => (await statusOn(place, moving)) === "completed");
  second.kill("SIGKILL");
  await second.ended;
  await place.database.query({ text: "update materia.workers set state = 'gone'" });
  const waiting = await submitted(place, "Quick");
  await says(page, "no worker serves the queue casts");
  await says(page, "materia worker --on f --queues casts");
  await expectSound(page, [WIDE, SMALL, DARK]);
  await page.getByRole("link", { name: "Casts", exact: true }).click();
  await says(page, "Waiting for a worker");
  await says(page, /^p · .* · no worker serves the queue casts$/);
  await page.locator(`a[data-cast="${moving}"]`).click();
  await says(page, "Worker, 1 move");
  await expectSound(page, [WIDE, DARK]);
  await expect.poll(() => page.getByRole("button", { name: `moved to ${second.id}` }).count()).toBe(1);
  await page.goto(`${served.url}#/casts/${waiting}`);
  await page.getByRole("button", { name: /^Abort/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Abort/ })
    .click();
  await until(async () => {
    const [row] = await place.database.query<{ abort_by: string | null }>({
      text: "select abort_by from materia.casts where cast_id = $1",
      values: [waiting],
    });
    return (row?.abort_by ?? null) !== null;
  });
  expect(complaints).toEqual([]);
});
