import type { BrowserContext, Page } from "playwright-core";

/** `SLOW_PAGE=300 npm run test:webui` delays every page by that many milliseconds: requests, new addresses, and deferred work. A test that acts on the page that is being left, or looks before the page has answered, then fails every time instead of once in hundreds of runs. */
const LATE_MS = Number(process.env["SLOW_PAGE"] ?? 0);
/** Its own work takes that much longer, too. */
const CPU_FACTOR = 4;

export async function slowed(context: BrowserContext): Promise<void> {
  if (LATE_MS === 0) return;
  await context.addInitScript(`(${late.toString()})(${LATE_MS})`);
  context.on("page", (page) => void throttle(page));
}

async function throttle(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_FACTOR });
}

/** Runs in the page, before the page's own code. */
function late(ms: number): void {
  const told = new WeakSet<Event>();
  globalThis.addEventListener(
    "hashchange",
    (event) => {
      if (told.has(event)) return;
      event.stopImmediatePropagation();
      const again = new HashChangeEvent("hashchange", event);
      told.add(again);
      setTimeout(() => globalThis.dispatchEvent(again), ms);
    },
    { capture: true },
  );
  const { fetch } = globalThis;
  globalThis.fetch = async (...asked) => {
    const answer = await fetch(...asked);
    await new Promise((resolve) => setTimeout(resolve, ms));
    return answer;
  };
}
