import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { castsIn, journalOf } from "../harness/cli.ts";
import { newPiPlace, userConfig } from "../harness/pi-place.ts";
import { startPi, type UiRequest } from "../harness/pi-rpc.ts";
import { lastAsked, result, status } from "../harness/pi-seen.ts";
import { KEYS, openPiTui } from "../harness/pi-tui.ts";

const SHIP = {
  activeLoadout: "Ship",
  materia: { Make: { prompt: "Make it." }, Say: { type: "person", question: "May “{{request}}” go out?" } },
  loadouts: {
    Ship: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Make", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Say",
          edges: [
            { when: "satisfied", to: "end" },
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 2 },
          ],
        },
      },
    },
  },
};

it("[Q8] over RPC the dialog of the real Pi takes a no with its reason, the cast goes back, and a yes ends it", async () => {
  const place = await newPiPlace(userConfig(SHIP), { text: "first try" }, { text: "second try" });
  const dialogs: string[] = [];
  const choices = ["No, and say why", "Yes"];
  const pi = startPi(place, {
    onDialog: ({ method, title = "" }: UiRequest) => {
      dialogs.push(`${method}: ${title}`);
      return { value: method === "input" ? "there is no test" : (choices.shift() ?? "Later") };
    },
  });
  await pi.type("/materia cast release 2");
  expect(await pi.until("the result", result)).toMatch(/^A materia cast completed/);
  expect(dialogs).toEqual(["select: May “release 2” go out?", "input: Why not?", "select: May “release 2” go out?"]);
  expect(lastAsked(place.model).said.join()).toContain("there is no test");
  const [castId = ""] = castsIn(place.cwd);
  const judged = journalOf(place.cwd, castId).filter((event) => event.type === "person_judged");
  expect(judged.map(({ satisfied, text }) => [satisfied, text])).toEqual([
    [false, "there is no test"],
    [true, ""],
  ]);
  expect(pi.records.filter((record) => record.type === "extension_error")).toEqual([]);
});

it("[Q8] a dialog that is put off leaves the cast waiting, and a command says no and yes", async () => {
  const place = await newPiPlace(userConfig(SHIP), { text: "first try" }, { text: "second try" });
  const pi = startPi(place);
  await pi.type("/materia cast release 2");
  await pi.until("the question", status(/waits for you/));
  pi.mark();
  await pi.type("/materia continue --reject there is no test");
  await pi.until("the question", status(/waits for you/));
  await pi.type("/materia continue");
  expect(await pi.until("the result", result)).toMatch(/^A materia cast completed/);
  expect(lastAsked(place.model).said.join()).toContain("there is no test");
});

it("[X56] in a later Pi a bare continue shows question, report, request and change, then the patch, and asks", async () => {
  const door = { call: { name: "write", arguments: { path: "door.txt", content: "oak\nbrass\n" } } };
  const place = await newPiPlace({}, door, { text: "a door of oak" });
  const git = (...words: readonly string[]) => execFileSync("git", words, { cwd: place.cwd });
  git("init", "--quiet");
  git("-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "--allow-empty", "-m", "empty");
  const rpc = startPi(place);
  await rpc.type("/materia link Build Approve -- add a door");
  await rpc.until("the question", status(/waits for you/));
  const pi = await openPiTui(place, "--approve");
  const [castId = ""] = castsIn(place.cwd);
  await pi.send("/materia continue");
  await pi.sees(/a door of oak/, /Request: add a door/, /door\.txt \| 2 \+\+/, /→ Yes/);
  pi.type(KEYS.down.repeat(3));
  await pi.sees(/→ Show the whole change first/);
  pi.type(KEYS.enter);
  await pi.sees(/\+brass/, /→ Yes/);
  expect(journalOf(place.cwd, castId).at(-1)?.type).toBe("cast_waiting");
  pi.type(KEYS.enter);
  await pi.sees(/✓ completed/);
});
