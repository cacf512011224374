import { describe, expect, it } from "vitest";
import { always, consuming, exit, main, problems, problemsOf, type SocketInput } from "../harness/loadouts.ts";
import { compiled } from "../harness/play.ts";
import { linked } from "../harness/chain.ts";
import { pathText } from "../../src/core/model/issue.ts";

describe("[G21, G22] state and variables", () => {
  it.each([
    ["[G21] read in a prompt, set by nothing", one("{{state.note}}"), ["warning state_never_set sockets.Socket-1"]],
    [
      "[G21] read by assign, set by nothing",
      two({ assign: { b: "state.a" } }, { prompt: "{{state.b}}" }),
      ["warning state_never_set sockets.Socket-1"],
    ],
    [
      "[G21] set, read by nothing",
      one("x", { assign: { note: "$.context" } }),
      ["warning state_never_read sockets.Socket-1.assign"],
    ],
    [
      "[G21] set in one socket, read in another",
      two({ assign: { note: "$.context" } }, { prompt: "{{state.note}}" }),
      [],
    ],
    [
      "[G21] a text is set as a whole, read by nothing",
      one("x", { parse: "text", assign: { note: "$" } }),
      ["warning state_never_read sockets.Socket-1.assign"],
    ],
    ["[G21] a part of what is set is read", two({ assign: { note: "$" } }, { prompt: "{{state.note.context}}" }), []],
    [
      "[G21] set by the socket, whose assign stands for its materia's",
      two({ assign: { note: "$.context" } }, {}),
      ["warning state_never_read sockets.Socket-1.assign"],
    ],
    ["[G21] what casts before leave is there", one("{{state.previousCastContext}}"), []],
    [
      "[G21] a part of what is set is read by assign",
      two({ assign: { note: "$" } }, { prompt: "{{state.b}}", assign: { b: "state.note.context" } }),
      [],
    ],
  ])("%s", (_rule, config, expected) => {
    expect(problems(config)).toEqual(expected);
  });

  const mine = (part: Partial<SocketInput>, prompt = "x") => ({
    materia: { M: { prompt, parse: "json" } },
    sockets: { "Socket-1": { materia: "M", ...part } },
  });
  const reading = mine({}, "{{state.note}}");
  const setting = mine({ assign: { note: "$.context" } });
  const other = (assign: Readonly<Record<string, string>>) => ({ prompt: "o", parse: "json", assign });
  const kept = ["warning state_never_read sockets.Socket-1.assign"];

  it.each<[rule: string, own: typeof reading, materia: object, loadouts: object, found: readonly string[]]>([
    ["[G21] another materia sets it", reading, { O: other({ "note.x": "$" }) }, {}, []],
    [
      "[G21] a socket of another loadout sets it",
      reading,
      {},
      { Other: { entry: "Socket-1", sockets: { "Socket-1": { materia: "M", assign: { note: "$" } } } } },
      [],
    ],
    ["[G21] another prompt reads it", setting, { O: { prompt: "{{state.note.x}}" } }, {}, []],
    ["[G21] another assign reads it", setting, { O: other({ kept: "state.note.x" }) }, {}, []],
    ["[G21] what another takes from its output is no state", setting, { O: other({ x: "$....note" }) }, {}, kept],
    ["[G21] nor is a variable that is none", setting, { O: { prompt: "{{item.title}} {{request}}" } }, {}, kept],
  ])("%s, elsewhere in the configuration", (_rule, { materia: own, sockets }, materia, loadouts, found) => {
    const config = main(sockets, {}, { materia: { ...own, ...materia } });
    expect(problems({ ...config, loadouts: { ...config.loadouts, ...loadouts } })).toEqual(found);
  });

  it.each<[rule: string, chain: string, found: readonly string[]]>([
    ["[G21] one part sets it, another reads it", "Sets Reads", []],
    ["[G21] one part sets it as a text, another reads it", "Says Reads", []],
    ["[G21] no part of the chain reads it", "Sets Text", ["state_never_read materia.Sets.assign"]],
    ["[G21] no part of the chain sets it", "Text Reads", ["state_never_set materia.Reads"]],
    ["[G21] a problem of one part alone is reported once", "Odd Text", ["unknown_variable materia.Odd"]],
  ])("%s", (_rule, chain, found) => {
    const materia = {
      Sets: { prompt: "s", parse: "json", assign: { note: "$.context" } },
      Says: { prompt: "s", assign: { note: "$" } },
      Reads: { prompt: "{{state.note}}" },
      Text: { prompt: "t" },
      Odd: { prompt: "{{odd}}" },
    };
    const { warnings } = linked(chain, { materia });
    expect(warnings.map(({ code, path }) => `${code} ${pathText(path)}`)).toEqual(found);
  });

  it("[G21] a list that a loop walks is read", () => {
    const sockets = {
      "Socket-1": { materia: "Json", assign: { "plans.list": "$.workItems" }, edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", advance: { items: "state.plans.list" }, edges: [always("Socket-2")] },
      "Socket-3": { materia: "Text" },
    };
    const loop = { sockets: ["Socket-2"], exits: [exit("Socket-2", "always", "Socket-3")] };
    expect(problems(main(sockets, { L: loop }))).toEqual([]);
  });

  it("[G21] a utility of one's own may set and read anything; a bundled one sets what it says", () => {
    const own = { Own: { type: "utility", command: ["own"], parse: "json" }, Reads: { prompt: "{{state.a}}" } };
    const bundled = {
      ...own,
      Own: { type: "utility", script: "Detect-VCS", parse: "json" },
      Reads: { prompt: "{{state.a}} {{state.vcs.kind}}" },
    };
    const sockets = { "Socket-1": { materia: "Own", edges: [always("Socket-2")] }, "Socket-2": { materia: "Reads" } };
    expect(problems(main(sockets, {}, { materia: own }))).toEqual([]);
    expect(problems(main(sockets, {}, { materia: bundled }))).toEqual(["warning state_never_set sockets.Socket-2"]);
  });

  it.each([
    ["[G21] a name near one that is set is offered", "{{state.nite}}", "did you mean state.note?"],
    ["[G21] where none is near, how to set it", "{{state.far}} {{state.note}}", 'set it with "assign"'],
    ["[G22] the variables that there are", "{{state.note}} {{nothing}}", "{{request}}, "],
  ])("%s", (_rule, prompt, hint) => {
    const [found] = problemsOf(one(prompt, { assign: { note: "$.context" } }));
    expect(found?.hint).toContain(hint);
  });

  it("[G22] only an agent gets the changes", () => {
    const asked = {
      Ask: { type: "person", question: "{{changes}} {{request}}?" },
      Do: { prompt: "{{changes}} {{request}}" },
    };
    const seated = (materia: string) => problems(main({ "Socket-1": { materia } }, {}, { materia: asked }));
    expect(seated("Do")).toEqual([]);
    expect(seated("Ask")).toEqual(["warning unknown_variable sockets.Socket-1"]);
  });

  it("[G16] a problem of a materia that is cast alone has its place in the materia", () => {
    const { warnings } = compiled({ materia: { M: { prompt: "{{nothing}}" } } }, "materia:M");
    expect(warnings).toMatchObject([{ code: "unknown_variable", path: ["materia", "M"], file: "test.json" }]);
  });

  it.each([
    ["[G22] an unknown word", one("{{nothing}}"), true],
    ["[G22] a field that items do not have", one("{{item.id}}"), true],
    ["[G22] the item outside loops", one("{{item.title}}"), true],
    ["[G22] the work items of a loadout without a generator", one("{{workItems}}"), true],
    [
      "[G22] the work items where other state is set",
      one("{{workItems}} {{state.note}}", { assign: { note: "$.context" } }),
      true,
    ],
    ["[G22] an empty name", one("{{ }}"), true],
    ["[G22] the request", one("{{request}} {{ request }}"), false],
    ["[G22] braces that are no variable", one("{ {x} } {{{a}"), false],
  ])("%s", (_rule, config, doubtful) => {
    expect(problems(config)).toEqual(doubtful ? ["warning unknown_variable sockets.Socket-1"] : []);
  });

  it("[G22] the item is there in a loop that walks a list, and the work items behind a generator", () => {
    const loop = consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3"));
    expect(problems(loopMember("{{item.title}} {{item.context}} {{workItems}}", {}, loop))).toEqual([]);
  });

  it("[G22] a region that walks no list has no item", () => {
    const region = { sockets: ["Socket-2"], exits: [exit("Socket-2", "always", "Socket-3")] };
    expect(problems(loopMember("{{item.title}}", undefined, region))).toEqual([
      "warning exit_never_taken loops.L.exits.0",
      "warning unknown_variable sockets.Socket-2",
    ]);
  });
});

function one(prompt: string, socket: Partial<SocketInput> = {}) {
  return main({ "Socket-1": { materia: "M", ...socket } }, {}, { materia: { M: { prompt, parse: "json" } } });
}

function two(first: object, second: object) {
  return main(
    { "Socket-1": { materia: "A", edges: [always("Socket-2")] }, "Socket-2": { materia: "B" } },
    {},
    { materia: { A: { prompt: "a", parse: "json", ...first }, B: { prompt: "b", parse: "json", ...second } } },
  );
}

function loopMember(prompt: string, advance: object | undefined, loop: object) {
  return main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "M", ...(advance ? { advance } : {}), edges: [always("Socket-3")] },
      "Socket-3": { materia: "Text" },
    },
    { L: loop },
    { materia: { M: { prompt } } },
  );
}
