import { startBrowserServer, tellAddress } from "./browser.ts";

/** One browser for all tests of the page. Nobody waits for its start but the tests that need it. */
export default function setup(): () => Promise<void> {
  const starting = startBrowserServer();
  starting.catch((problem: unknown) => tellAddress(`no browser: ${String(problem)}`));
  return async () => {
    const end = await starting;
    await end();
  };
}
