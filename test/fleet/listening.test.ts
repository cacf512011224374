import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { openNotifications } from "../../src/shell/store/postgres/notifications.ts";
import type { Database } from "../../src/shell/store/postgres/database.ts";

it("[B6] a session that cannot listen is closed before the next one is opened", async () => {
  const sessions: { isOpen: boolean }[] = [];
  const listening = Promise.withResolvers<void>();
  const openSession = async () => {
    const session = { isOpen: true };
    const number = sessions.push(session);
    return Object.assign(new EventEmitter(), {
      query: async () => {
        if (number < 3) throw new Error("not now");
        listening.resolve();
      },
      end: async () => void (session.isOpen = false),
    });
  };
  // Only these are called before the first notification.
  const database = { openSession, pause: async () => undefined } as unknown as Database;
  const news = openNotifications(database);
  news.on(undefined, () => undefined);
  await listening.promise;
  expect(sessions).toEqual([{ isOpen: false }, { isOpen: false }, { isOpen: true }]);
  await news.close();
});
