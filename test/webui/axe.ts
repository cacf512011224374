import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { sampleCases } from "../harness/sweep.ts";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export interface View {
  readonly width: number;
  readonly theme: "light" | "dark";
}

export const WIDE: View = { width: 1440, theme: "light" };
export const MIDDLE: View = { width: 768, theme: "light" };
export const SMALL: View = { width: 390, theme: "light" };
/** In the dark nothing but colours is another, and they are the same at every width. */
export const DARK: View = { width: 1440, theme: "dark" };

/** What axe finds, at each of these views of one and the same page; it is left at the first of them. */
export async function expectSound(page: Page, views: readonly View[] = [WIDE, DARK]): Promise<void> {
  const found: string[] = [];
  for (const view of views) {
    await show(page, view);
    for (const fault of await faults(page, view.theme)) found.push(`${view.theme} ${view.width}: ${fault}`);
  }
  if (views[0] && views.length > 1) await show(page, views[0]);
  expect(found).toEqual([]);
}

/** The same in a sweep: `npm test` looks at the first view only, `npm run test:full` at the others. */
export async function expectSampleSound(page: Page, views: readonly View[]): Promise<void> {
  await expectSound(page, sampleCases(views));
  if (views[0]) await show(page, views[0]);
}

/** The same page at another width or in other colours, drawn to the end. */
export async function show(page: Page, { width, theme }: View): Promise<void> {
  // A colour that is still changing is none of the two.
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 900 });
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)))),
  );
}

async function faults(page: Page, theme: View["theme"]): Promise<readonly string[]> {
  // Half a megabyte: once for a page, not once for a look.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const runOnly =
    theme === "dark"
      ? ({ type: "rule", values: ["color-contrast"] } as const)
      : ({ type: "tag", values: TAGS } as const);
  return page.evaluate(
    async (options) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, options); // put there above
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
    },
    { runOnly: { type: runOnly.type, values: [...runOnly.values] }, resultTypes: ["violations" as const] },
  );
}
