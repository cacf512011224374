import { startBrowserServer, tellNoBrowser } from "./browser.ts";

/** One browser for all tests of the page. Nobody waits for its start but the tests that need it. */
export default function setup(): () => Promise<void> {
  const starting = startBrowserServer();
  starting.catch(tellNoBrowser);
  return async () => {
    const end = await starting;
    await end();
  };
}
