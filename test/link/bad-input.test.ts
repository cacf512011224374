import { beforeAll, expect, it } from "vitest";
import { castsIn, journalOf, listing, newPlace, run } from "../harness/cli.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const BIG = sweepSize(1_000, 5_000);
const MANY = sweepSize(30, 200);
const ids = Array.from({ length: BIG }, (_, index) => `Socket-${index + 1}`);
const always = (to: string) => ({ when: "always", to });

const conf = {
  materia: { Echo: { type: "utility", command: ["echo", "hi"] }, Judge: { prompt: "Judge.", parse: "json" } },
  loadouts: {
    Line: {
      entry: "Socket-1",
      sockets: Object.fromEntries(
        ids.map((id, index) => [id, { materia: "Echo", edges: [always(ids[index + 1] ?? "end")] }]),
      ),
    },
    /** Every socket may end. */
    Comb: {
      entry: "Socket-1",
      sockets: Object.fromEntries(
        ids.map((id, index) => [
          id,
          { materia: "Judge", edges: [{ when: "satisfied", to: ids[index + 1] ?? "end" }, always("end")] },
        ]),
      ),
    },
    Round: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Echo", edges: [always("Socket-2")] },
        "Socket-2": { materia: "Echo", edges: [always("Socket-1")] },
      },
    },
    Nobody: { entry: "Socket-1", sockets: {} },
  },
};

let cwd: string;
const config = ["--config", "conf.json"];

beforeAll(() => {
  cwd = newPlace({ "conf.json": conf });
});

it.each<[title: string, targets: readonly string[], code: string, said: string]>([
  [
    `[L18] a target of ${BIG} sockets that ends at each of them: refused in few words`,
    ["Comb", "Echo"],
    "ambiguous_terminal",
    `can end at ${BIG} sockets (Socket-1 (Judge), Socket-2 (Judge)`,
  ],
  ["[L18] a loadout with no way to end", ["Round", "Echo"], "missing_terminal", '"Round" never ends'],
  ["[L19] a loadout without sockets", ["Nobody", "Echo"], "unknown_socket", "loadouts.Nobody.entry"],
  [
    "[L8] 200 unknown targets: each of them named",
    Array.from({ length: 200 }, (_, n) => `No${n}`),
    "unknown_target",
    "No199",
  ],
])("%s", SWEEP, async (_title, targets, code, said) => {
  const before = listing(cwd);
  const { code: exit, stderr } = await run(["link", ...config, ...targets, "--", "x"], { cwd });
  expect({ exit, after: listing(cwd) }).toEqual({ exit: 2, after: before });
  expect(stderr).toContain(`error ${code}: `);
  expect(stderr).toContain(said);
  expect(stderr.length).toBeLessThan(targets.length * 500);
});

it(`[L12, L24] a target of ${BIG} sockets is linked twice over`, SWEEP, async () => {
  const { code, stdout } = await run(["grid", ...config, "--json", "--link", "Line", "Line", "Echo"], { cwd });
  const grid = JSON.parse(stdout) as { readonly sockets: readonly object[]; readonly stitches: readonly object[] };
  expect([code, grid.sockets.length]).toEqual([0, 2 * BIG + 1]);
  expect(grid.stitches).toMatchObject([
    { from: `Socket-${BIG}`, to: `Socket-${BIG + 1}` },
    { from: `Socket-${2 * BIG}`, to: `Socket-${2 * BIG + 1}` },
  ]);
});

it(`[L16, L20] ${MANY} targets run one after the other`, SWEEP, async () => {
  const targets = Array.from({ length: MANY }, () => "Echo");
  const ran = await run(["link", ...config, "--quiet", ...targets, "--", "x"], { cwd });
  expect([ran.code, ran.stdout]).toEqual([0, "hi\n"]);
  const visits = journalOf(cwd, castsIn(cwd)[0] ?? "").flatMap((event) =>
    event.type === "visit_started" ? [event.socket] : [],
  );
  expect(visits).toEqual(targets.map((_, index) => `Socket-${index + 1}`));
});

it("[L17] a loadout with no way to end may be the last", async () => {
  const { code } = await run(["grid", ...config, "--link", "Echo", "Round"], { cwd });
  expect(code).toBe(0);
});
