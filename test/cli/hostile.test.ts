import { expect, it } from "vitest";
import { castsIn, journalOf, listing, newPlace, run } from "../harness/cli.ts";

const ESC = "\u001b";
const NASTY = `${ESC}[31mred${ESC}]0;title\u0007\u009b1m\u202egnp.exe\u2066\u200f\u0000\r\b\ud800`;
/** What a terminal would obey, or people would misread. */
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

const say = (text: string, more: object = {}) => ({
  type: "utility",
  command: ["node", "-e", `process.stdout.write(${JSON.stringify(text)})`],
  ...more,
});
const single = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });

it("[C5] control characters, escape sequences and direction marks of a cast never reach the terminal", async () => {
  const items = [{ title: `one ${NASTY}`, context: NASTY }];
  const cwd = newPlace({
    "conf.json": {
      activeLoadout: "Main",
      materia: {
        Plan: say(JSON.stringify({ workItems: items, context: NASTY }), { generator: true }),
        Talk: say(`said ${NASTY}`, { label: NASTY, description: NASTY }),
        No: say(JSON.stringify({ satisfied: false, context: NASTY }), { parse: "json" }),
      },
      loadouts: {
        Main: {
          description: NASTY,
          entry: "Socket-1",
          sockets: {
            "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
            "Socket-2": { materia: "Talk", edges: [{ when: "always", to: "Socket-3" }] },
            "Socket-3": {
              materia: "No",
              advance: { when: "always" },
              edges: [{ when: "not_satisfied", to: "Socket-2", maxTraversals: 1 }],
            },
          },
          loops: { items: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
        },
      },
    },
  });
  const config = ["--config", "conf.json"];
  const cast = await run(["cast", ...config, `do ${NASTY.replaceAll("\u0000", "")}`], { cwd });
  expect(cast.code).toBe(3);
  const looks = [
    ["casts"],
    ["status"],
    ["show"],
    ["grid", ...config],
    ["grid", "--mermaid", ...config],
    ["materia", ...config],
    ["materia", "Talk", ...config],
    ["loadout", ...config],
    ["check", ...config],
    ["casts", "--json"],
    ["status", "--json"],
    ["show", "--json"],
    ["materia", "--json", ...config],
    ["cast", "--json", ...config, "x\u009b\u202e"],
  ];
  const ran = [cast];
  for (const args of looks) ran.push(await run(args, { cwd }));
  for (const { stdout, stderr } of ran) expect(`${stdout}${stderr}`).not.toMatch(HARMFUL);
  expect(ran.filter(({ code }) => code === 2)).toEqual([]);
  const [castId = ""] = castsIn(cwd);
  expect(journalOf(cwd, castId).some((event) => JSON.stringify(event).includes("gnp.exe"))).toBe(true);
});

it.each<[title: string, args: readonly string[]]>([
  ["[C5] a command", [NASTY]],
  ["[C5] an option", ["casts", `--${NASTY}`]],
  ["[C5] the value of an option", ["recast", "--allow", NASTY]],
  ["[C5] a topic of help", ["help", NASTY]],
  ["[C5] a target", ["link", NASTY, `materia:${NASTY}`, `x${NASTY}:y`, "--", "x"]],
  ["[C5] a cast id", ["show", NASTY]],
  ["[C5] a loadout", ["loadout", NASTY]],
  ["[C5] a materia", ["materia", NASTY]],
  ["[C5] a file", ["cast", "--config", NASTY, "x"]],
  ["[C5] a folder", ["casts", "--cwd", NASTY]],
])("%s with escape sequences is refused harmlessly", async (_title, words) => {
  const cwd = newPlace();
  const before = listing(cwd);
  const args = words.map((word) => word.replaceAll("\u0000", "").toWellFormed());
  const { code, stdout, stderr } = await run(args, { cwd });
  expect({ code, stdout, after: listing(cwd) }).toEqual({ code: 2, stdout: "", after: before });
  expect(stderr).not.toMatch(HARMFUL);
});

it("[C5] nor does a folder's name", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": { artifactDir: `a${ESC}[31mb` } });
  const { code, stdout } = await run(["casts"], { cwd });
  expect([code, HARMFUL.test(stdout)]).toEqual([0, false]);
});

const odd = ["__proto__", "constructor", "../x", "", " ", "a\nb", "\ud800", "x".repeat(101)];

it.each(odd)("[C4, F10] %j as name of a materia or loadout is a problem or a name, never a crash", async (name) => {
  // Written by hand: an object literal would take `__proto__` for something else.
  const key = JSON.stringify(name);
  const loadout = JSON.stringify(single(name));
  const text = `{ "activeLoadout": ${key}, "materia": { ${key}: { "type": "utility", "command": ["echo", "hi"] } }, "loadouts": { ${key}: ${loadout} } }`;
  const cwd = newPlace({ "conf.json": text });
  const config = ["--config", "conf.json"];
  const [checked, drawn, cast, linked] = [
    await run(["check", "--json", ...config], { cwd }),
    await run(["grid", ...config], { cwd }),
    await run(["cast", ...config, "x"], { cwd }),
    await run(["link", ...config, `materia:${name.toWellFormed()}`, "--", "x"], { cwd }),
  ];
  const isName = name === "constructor" || name === "../x";
  expect([checked.code, drawn.code, cast.code, linked.code]).toEqual(isName ? [0, 0, 0, 0] : [1, 2, 2, 2]);
  for (const { stderr } of [checked, drawn, cast, linked]) expect(stderr).not.toMatch(/^\s+at .*\(?node:|TypeError/m);
  expect(castsIn(cwd)).toHaveLength(isName ? 2 : 0);
});

it("[C19] wrong types everywhere are problems with their places, all at once", async () => {
  const wrong = [null, 1, "x", [], true, { a: 1 }];
  const conf = {
    activeLoadout: [],
    limits: { maxRepairs: "2" },
    budget: 3,
    materia: Object.fromEntries(wrong.slice(1).map((value, index) => [`M${index}`, value])),
    loadouts: {
      ...Object.fromEntries(wrong.slice(1).map((value, index) => [`L${index}`, value])),
      S: { entry: "Socket-1", sockets: { "Socket-1": 5, "Socket-2": { materia: 7, edges: {} } }, loops: [] },
    },
  };
  const cwd = newPlace({ "conf.json": conf });
  const { code, stdout } = await run(["check", "conf.json", "--json"], { cwd });
  const { issues } = JSON.parse(stdout) as { issues: readonly { readonly severity: string; readonly path: string }[] };
  const paths = issues.flatMap(({ severity, path }) => (severity === "error" ? [path] : []));
  expect(code).toBe(1);
  for (const place of ["activeLoadout", "limits.maxRepairs", "budget", "materia.M0", "materia.M3", "loadouts.L1"])
    expect(paths).toContain(place);
  expect(paths.filter((path) => path.startsWith("loadouts.S.")).length).toBeGreaterThan(2);
});

it("[C19] 10,000 sockets are checked and drawn", async () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `Socket-${index + 1}`);
  const sockets = Object.fromEntries(
    ids.map((id, index) => [id, { materia: "Echo", edges: [{ when: "always", to: ids[index + 1] ?? "end" }] }]),
  );
  const cwd = newPlace({
    "conf.json": { materia: { Echo: say("hi") }, loadouts: { Big: { entry: "Socket-1", sockets } } },
  });
  const [checked, drawn] = await Promise.all([
    run(["check", "conf.json"], { cwd }),
    run(["grid", "Big", "--config", "conf.json"], { cwd }),
  ]);
  expect([checked.code, drawn.code]).toEqual([0, 0]);
  expect(drawn.stdout).toContain("Socket-10000");
});
