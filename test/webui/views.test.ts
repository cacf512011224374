import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { SWEEP, sampleCases } from "../harness/sweep.ts";
import { ended, project } from "../webserver/harness.ts";
import { DARK, MIDDLE, SMALL, WIDE, expectSampleSound, expectSound, show } from "./axe.ts";
import { REPLIES, begin, look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

const EVERY = [WIDE, MIDDLE, SMALL, DARK];
/** Between the two nothing is arranged that these do not show. */
const WIDE_AND_SMALL = [WIDE, SMALL, DARK];

describe("[W19] no violation of WCAG 2.2 AA, at every width and in both themes", SWEEP, () => {
  it("[W19] the list, with casts and without, and its dialogs", async () => {
    const at = await served();
    const { page } = await look(at);
    await says(page, "No casts yet");
    await expectSampleSound(page, EVERY);
    await ended(at, await begin(at));
    await says(page, "Add a greeting");
    await expectSampleSound(page, EVERY);
    await page.getByRole("button", { name: "New cast" }).first().click();
    await page
      .getByText(/Forecast|turns|tokens/i)
      .first()
      .waitFor();
    await expectSampleSound(page, EVERY);
    for (const key of sampleCases(["Control+k", "?"])) {
      await page.keyboard.press("Escape");
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      await expectSampleSound(page, WIDE_AND_SMALL);
    }
  });

  it("[W19, W18] a long reason and a long output of a tool", async () => {
    const at = await served();
    const no = { json: { satisfied: false, context: "There is no test of this case. ".repeat(40) } };
    const tools = [{ name: "bash", arguments: { command: "seq 200" } }];
    const id = await begin(at, { ...REPLIES, Build: [{ tools, text: "Built." }], "Auto-Eval": [no] });
    await ended(at, id);
    const { page } = await look(at, `casts/${id}?visit=Socket-5%231&tab=tools`, { width: SMALL.width });
    await page.getByRole("tab", { name: "Visit" }).click();
    await page.getByText("bash").first().click();
    await expectSound(page, [SMALL]);
    await page.goto(`${at.url}#/casts/${id}`);
    await says(page, /There is no test of this case/);
    await expectSound(page, [SMALL]);
  });

  it("[W19] a cast that has ended, every part of it", async () => {
    const at = await served();
    const id = await begin(at);
    await ended(at, id);
    const { page } = await look(at, `casts/${id}`);
    await socket(page, "Socket-1").waitFor();
    await expectSampleSound(page, EVERY);
    for (const tab of sampleCases(["Cost", "Journal", "Prompt", "Tools", "Handoff", "Route"])) {
      await page.getByRole("tab", { name: tab }).click();
      await expectSampleSound(page, [WIDE, DARK]);
    }
    await page.keyboard.press("[");
    await expectSound(page);
    await show(page, SMALL);
    await page.getByRole("tab", { name: "Timeline" }).click();
    for (const tab of sampleCases(["Timeline", "Cost", "Journal"])) {
      await page.getByRole("tab", { name: tab }).last().click();
      await expectSound(page, [SMALL]);
    }
    await page.getByRole("tab", { name: "Visit" }).click();
    for (const tab of sampleCases(["Output", "Prompt", "Tools", "Handoff", "Route"])) {
      await page.getByRole("tab", { name: tab }).click();
      await expectSound(page, [SMALL]);
    }
  });

  it("[W19] a cast that waits, one that failed and one that is not there", async () => {
    const at = await served();
    const replies = { "Interactive-Plan": [{ text: "Which colour?" }] };
    const { page } = await look(at, `casts/${await begin(at, replies, { loadout: "Planning-Consult" })}`);
    await says(page, "Which colour?");
    await expectSampleSound(page, EVERY);
    const failing = await begin(at, { ...REPLIES, "Auto-Eval": [{ json: { satisfied: false, context: "no" } }] });
    await ended(at, failing);
    await page.goto(`${at.url}#/casts/${failing}`);
    await says(page, /3 of 3 times/);
    await page.getByRole("button", { name: "Try again with a hint…" }).click();
    await expectSampleSound(page, EVERY);
    await page.keyboard.press("Escape");
    await page.goto(`${at.url}#/casts/20200101-000000-aaaaa`);
    await says(page, "All casts");
    await expectSampleSound(page, EVERY);
  });

  it("[W19] two casts side by side, tests, and the dialogs that lead on", async () => {
    const at = await served();
    const first = await begin(at);
    await ended(at, first);
    const other = await begin(at, { ...REPLIES, Narrate: [{ text: "Otherwise." }] });
    await ended(at, other);
    const { page } = await look(at, `compare/${first}?with=${other}`);
    await page.getByRole("button", { name: "handoff differs" }).last().click();
    await expectSampleSound(page, WIDE_AND_SMALL);
    await at.send("/api/commands", { command: `record ${first}` });
    await page.goto(`${at.url}#/tests`);
    await page.getByRole("button", { name: "Run all tests" }).click();
    await says(page, "1 passed");
    await expectSampleSound(page, WIDE_AND_SMALL);
    await page.goto(`${at.url}#/casts/${first}`);
    await page.getByRole("button", { name: "More" }).click();
    await expectSampleSound(page, WIDE_AND_SMALL);
    await page.keyboard.press("Escape");
    for (const dialog of sampleCases(["Run again…", "Record as a test…", "Compare with…"])) {
      await page.getByRole("button", { name: dialog }).click();
      await expectSampleSound(page, WIDE_AND_SMALL);
      await page.keyboard.press("Escape");
    }
  });

  it("[W19] what was found, and the settings", async () => {
    const at = await served();
    await ended(at, await begin(at));
    const { page } = await look(at, "casts");
    const places: readonly (readonly [place: string, text: string | RegExp])[] = [
      ["find?q=Mended", /places? in 1 cast\./],
      ["settings", "Conflicts of a parallel item"],
      ["help", "Nothing is lost"],
      ["nowhere", "There is no such page"],
    ];
    for (const [place, text] of sampleCases(places)) {
      await page.goto(`${at.url}#/${place}`);
      await says(page, text);
      await expectSampleSound(page, WIDE_AND_SMALL);
    }
  });
});

describe("[W19] a screen of 360 pixels", () => {
  it("[W19] nothing is wider, with text of the usual and of twice the size", SWEEP, async () => {
    const at = await served();
    const id = await begin(at);
    await ended(at, id);
    const { page } = await look(at, "casts", { width: 360 });
    const places = sampleCases(
      [
        `casts/${id}`,
        "casts",
        "help",
        "loadouts/Full-Auto",
        "materia/Build",
        "casts?new=",
        "settings",
        "tests",
        "queue",
        "find",
      ],
      3,
    );
    const wider: string[] = [];
    for (const size of ["16px", "32px"]) {
      // As soon as there is a page, and before anything is drawn.
      await page.addInitScript(
        (px) =>
          document.addEventListener("readystatechange", () =>
            document.documentElement.style.setProperty("font-size", px),
          ),
        size,
      );
      for (const place of places) {
        await page.goto("about:blank");
        await page.goto(`${at.url}#/${place}`);
        await page.getByRole("heading").first().waitFor();
        expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe(size);
        // A line that is lower than its letters cuts them.
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll("[data-graph] *")].flatMap((each) => {
            const { lineHeight, fontSize } = getComputedStyle(each);
            const isCut = Number.parseFloat(lineHeight) < Number.parseFloat(fontSize);
            return isCut && each.children.length === 0 && each.textContent !== "" ? [each.textContent] : [];
          }),
        );
        expect(cut).toEqual([]);
        // Nor is anything wider than its place, or the bar at the top lower than what it says.
        const beyond = await page.evaluate(() =>
          [...document.querySelectorAll("header a, header ~ * *")].flatMap((each) => {
            const { overflowX, textOverflow } = getComputedStyle(each);
            const isMeant = textOverflow === "ellipsis" || /auto|scroll/.test(overflowX) || each.clientWidth <= 1;
            const isCut = each.closest("header") !== null && each.scrollHeight > each.clientHeight;
            const isWide = each.scrollWidth > each.clientWidth + 1 && each.closest("[data-graph], svg, input") === null;
            return !isMeant && (isCut || isWide) ? [each.outerHTML.slice(0, 160)] : [];
          }),
        );
        expect(beyond, `${place} at ${size}`).toEqual([]);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        if (width > 360) wider.push(`${place} at ${size}: ${width}`);
      }
    }
    expect(wider).toEqual([]);
  });

  it("[W19] nor is the bar at the top while the server is slow to answer, or does not", async () => {
    const at = await served();
    const { page } = await look(at, "settings", { width: 360 });
    await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    await page.addInitScript(() =>
      document.addEventListener("readystatechange", () =>
        document.documentElement.style.setProperty("font-size", "32px"),
      ),
    );
    const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
    let isSilent = true;
    await page.route("**/api/**", (route) => (isSilent ? undefined : route.abort()));
    await page.reload();
    await page.getByText("Connecting…").waitFor();
    expect(await width()).toBe(360);
    isSilent = false;
    await page.reload();
    await page.getByText("Reconnecting…").waitFor();
    expect(await width()).toBe(360);
  });
});

/** What is wider than its place, unless it says so with three dots; what scrolls sideways as well. */
function widerThings(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("html, header, header *, main *, dialog *")].flatMap((each) => {
      const isMeant = getComputedStyle(each).textOverflow === "ellipsis" || each.clientWidth <= 1;
      const isWide = each.scrollWidth > each.clientWidth + 1;
      return !isMeant && isWide && each.closest("svg, input, textarea, label, [data-graph]") === null
        ? [each.outerHTML.slice(0, 160)]
        : [];
    }),
  );
}

describe("[W19] text of twice the size", () => {
  it.each(sampleCases([768, 1280]))(
    "[W19] the list of casts and the bar at the top fit %i pixels",
    SWEEP,
    async (width) => {
      const at = await served();
      await ended(at, await begin(at));
      const { page } = await look(at, "help", { width });
      await page.addInitScript(() =>
        document.addEventListener("readystatechange", () =>
          document.documentElement.style.setProperty("font-size", "32px"),
        ),
      );
      await page.goto("about:blank");
      await page.goto(`${at.url}#/casts`);
      await page.getByRole("link", { name: "Add a greeting" }).waitFor();
      // Where letters are too large for it, the dot beside it says the same.
      await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
      expect(await widerThings(page)).toEqual([]);
    },
  );
});

/** A name of a hundred letters, and a request of more, without a place to break. */
const NAME = "Supercalifragilisticexpialidocious".repeat(3).slice(0, 100);
const FOREIGN = ["योजना-बनाने-वाला", "ผู้สร้างที่ยิ่งใหญ่มากที่สุดในโลก", "المُقَيِّم الكبير"];

describe("[W19] foreign and long names", () => {
  it("[W19] nothing is wider than its place, from 360 to 1920 pixels", async () => {
    const from = project();
    const names = [NAME, ...FOREIGN];
    const sockets = Object.fromEntries(
      names.map((materia, index) => [
        `Socket-${index + 1}`,
        { materia, edges: index === 3 ? [] : [{ when: "always", to: `Socket-${index + 2}` }] },
      ]),
    );
    from.write("../config/pi/pi-materia/materia.json", {
      materia: Object.fromEntries(names.map((name) => [name, { type: "agent", prompt: name }])),
      loadouts: { [NAME]: { entry: "Socket-1", sockets } },
    });
    const at = await served(from);
    const tools = [{ name: "bash", arguments: { command: `echo ${NAME}${NAME}` } }];
    const replies = Object.fromEntries(names.map((name) => [name, [{ tools, text: `${name} ${NAME}${NAME}` }]]));
    const id = await begin(at, replies, { loadout: NAME, prompt: `${FOREIGN.join(" ")} ${NAME}${NAME}` });
    await ended(at, id);
    const { page } = await look(at, "help");
    const fits = async (what: string): Promise<void> => {
      for (const width of [360, 768, 1280, 1920]) {
        await show(page, { width, theme: "light" });
        await expect.poll(() => widerThings(page), { message: `${what} at ${width}` }).toEqual([]);
      }
    };
    await page.getByRole("heading", { name: "Nothing is lost" }).waitFor();
    await page.goto(`${at.url}#/casts`);
    await page.getByRole("link", { name: NAME }).waitFor();
    await fits("casts");
    await page.goto(`${at.url}#/casts/${id}`);
    await socket(page, "Socket-1").waitFor();
    await page.getByRole("tab", { name: "Cost" }).click();
    await page.getByRole("table", { name: "Tokens and cost by materia" }).waitFor();
    await show(page, { width: 1280, theme: "light" });
    await expect.poll(() => widerThings(page)).toEqual([]);
    await page.getByRole("tab", { name: "Output" }).click();
    const output = page.getByRole("region", { name: "Output", exact: true });
    const copy = await output.getByRole("button", { name: "Copy the output" }).boundingBox();
    const call = await output.locator("details").first().boundingBox();
    const said = await output.locator("p").first().boundingBox();
    for (const text of [call, said]) expect(copy?.x).toBeGreaterThanOrEqual((text?.x ?? Infinity) + (text?.width ?? 0));
    // The button is beside the text and takes no separate line.
    expect(said?.y).toBeLessThan((copy?.y ?? 0) + (copy?.height ?? 0));
    await page.goto(`${at.url}#/find?q=Super`);
    await says(page, /places? in 1 cast\./);
    await fits("find");
    await page.goto(`${at.url}#/loadouts/${NAME}`);
    await page.getByRole("button", { name: "Rehearse…" }).click();
    await page.getByRole("dialog").getByText("Socket-4").first().waitFor();
    await fits("rehearse");
  });
});
