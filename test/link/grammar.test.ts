import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LinkCommand, TargetRef } from "../../src/core/command/command.ts";
import { commandText } from "../../src/core/command/command-text.ts";
import { parseArgv, parseText } from "../../src/core/command/parse.ts";
import { quoteWord } from "../../src/core/command/split-words.ts";

const either = (name: string): TargetRef => ({ kind: "either", name });

/** A link as it was read; anything else fails the test. */
function linked(result: ReturnType<typeof parseText>): LinkCommand {
  if (!result.ok || result.value.command.kind !== "link") throw new Error(JSON.stringify(result));
  return result.value.command;
}

const codes = (result: ReturnType<typeof parseText>) => (result.ok ? [] : result.issues.map((issue) => issue.code));

describe("[L1, L2, L3] typed text", () => {
  it.each<[title: string, text: string, targets: readonly TargetRef[], prompt: string, from?: string]>([
    ["[L1] targets and a prompt", "link A B -- do it", [either("A"), either("B")], "do it"],
    ["[L1] with lineage", "link --from c-1 A -- x", [either("A")], "x", "c-1"],
    ["[L1] lineage behind the targets", "link A --from c-1 -- x", [either("A")], "x", "c-1"],
    ["[L1] lineage with =", "link --from=c-1 A -- x", [either("A")], "x", "c-1"],
    [
      "[L1] prefixes",
      "link materia:A loadout:B x:C -- x",
      [{ kind: "materia", name: "A" }, { kind: "loadout", name: "B" }, either("x:C")],
      "x",
    ],
    ["[L2] double quotes", 'link "loadout:Hojo Consult" -- x', [{ kind: "loadout", name: "Hojo Consult" }], "x"],
    ["[L2] single quotes", "link 'my materia' -- x", [either("my materia")], "x"],
    ["[L2] quotes beside other characters", `link loadout:"A B"'"C"' -- x`, [{ kind: "loadout", name: 'A B"C"' }], "x"],
    ["[L2] quotes of the other kind inside", `link "it's" 'a "b"' -- x`, [either("it's"), either('a "b"')], "x"],
    ["[L2] a backslash is a character", 'link "a\\" -- x', [either("a\\")], "x"],
    ["[L2] an empty name is a name", 'link "" -- x', [either("")], "x"],
    ["[L2] line breaks separate words", "link A\n  B\t-- x", [either("A"), either("B")], "x"],
    ["[L3] a quoted -- is a target", 'link "--" a -- x', [either("--"), either("a")], "x"],
    ["[L3] a -- inside quotes is a part of a name", "link 'a -- b' -- x", [either("a -- b")], "x"],
    ["[L3] a word that only begins with dashes, quoted", 'link "--json" -- x', [either("--json")], "x"],
    ["[L3] the prompt keeps further dashes", "link A -- a -- b --", [either("A")], "a -- b --"],
    ["[L3] the prompt keeps quotes", `link A -- say "hi" to 'it`, [either("A")], `say "hi" to 'it`],
    ["[L3] the prompt keeps blanks and lines", "link A --  a  b\n\n c ", [either("A")], " a  b\n\n c "],
    ["[L3] a line break may separate it", "link A --\nfirst\nsecond", [either("A")], "first\nsecond"],
  ])("%s", (_title, text, targets, prompt, from) => {
    expect(linked(parseText(text))).toEqual({ kind: "link", targets, prompt, ...(from === undefined ? {} : { from }) });
  });

  it.each<[title: string, text: string, problems: readonly string[]]>([
    ["[L1] no target", "link -- x", ["missing_target"]],
    ["[L1] no delimiter", "link A do it", ["missing_delimiter"]],
    ["[L1] a delimiter that is a part of a word", "link A --do it", ["unknown_option"]],
    ["[L1] no prompt", "link A --", ["missing_prompt"]],
    ["[L1] a blank prompt", "link A -- \n ", ["missing_prompt"]],
    ["[L1] all that is missing at once", "link --", ["missing_target", "missing_prompt"]],
    ["[L1] nothing", "link", ["missing_target", "missing_delimiter"]],
    ["[L1] lineage without an id", "link --from -- x", ["bad_option"]],
    ["[L1] lineage with an empty id", 'link --from "" A -- x', ["bad_option"]],
    ["[L2] a quote that is never closed", 'link "A -- x', ["unclosed_quote"]],
    ["[L2] the other one does not close it", "link \"A' -- x", ["unclosed_quote"]],
  ])("%s", (_title, text, problems) => {
    expect(codes(parseText(text))).toEqual(problems);
  });
});

describe("[L4] words that a shell has split", () => {
  it.each<[title: string, argv: readonly string[], text: string]>([
    ["[L4] names with blanks", ["loadout:Hojo Consult", "--", "fix", "it"], '"loadout:Hojo Consult" -- fix it'],
    ["[L4] one quoted prompt", ["A", "--", "a\n  'b' -- \"c\""], "A -- a\n  'b' -- \"c\""],
    ["[L4] further dashes", ["A", "--", "a", "--", "b"], "A -- a -- b"],
    ["[L4] lineage", ["--from", "c-1", "A", "B", "--", "x"], "--from c-1 A B -- x"],
    ["[L4] options between targets", ["A", "--rehearse", "my file", "B", "--", "x"], 'A --rehearse "my file" B -- x'],
  ])("%s", (_title, argv, text) => {
    expect(parseArgv(["link", ...argv])).toEqual(parseText(`link ${text}`));
  });

  it("[L4] any words, typed with quotation marks, are the same command", () => {
    const word = fc.string({ unit: "binary", maxLength: 12 });
    const target = word.filter((text) => !text.startsWith("--"));
    const spoken = word.filter((text) => text.trim() !== "");
    fc.assert(
      fc.property(fc.array(target, { minLength: 1, maxLength: 5 }), spoken, (targets, prompt) => {
        const typed = ["link", ...targets.map(quoteWord), "--", prompt].join(" ");
        expect(parseText(typed)).toEqual(parseArgv(["link", ...targets, "--", prompt]));
      }),
    );
  });
});

describe("[L5] print and read", () => {
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom("", "--", "--from", "-", "'", '"', "'\"", "a b", "materia:", "loadout:a b", "\n", "\ud800", "→"),
  );
  const prompt = fc.string({ unit: "binary", minLength: 1 }).filter((text) => text.trim() !== "");

  it("[L5] a command that was typed comes back, for any names", () => {
    const from = fc.option(name.filter((text) => text !== ""));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), from, prompt, (targets, castId, said) => {
        const lineage = castId === null ? [] : ["--from", quoteWord(castId)];
        const command = linked(parseText(["link", ...lineage, ...targets.map(quoteWord), "--", said].join(" ")));
        expect(command.prompt).toBe(said);
        expect(linked(parseText(commandText(command)))).toEqual(command);
        expect(commandText(linked(parseText(commandText(command))))).toBe(commandText(command));
      }),
    );
  });

  it("[L5, L22] a cast comes back with every option that decides how it runs, for any values", () => {
    const value = name.filter((text) => text !== "");
    const options = fc.record(
      {
        loadout: value,
        model: value,
        rehearse: value,
        config: value,
        durability: value,
        budget: fc.nat(),
        cost: fc.nat(400),
      },
      { requiredKeys: [] },
    );
    const said = fc.oneof(prompt, fc.constantFrom("--help", "-- x", "  two", "a --model b"));
    fc.assert(
      fc.property(options, said, (given, text) => {
        const words = Object.entries(given).map(([key, each]) => `--${key} ${quoteWord(String(each))}`);
        const typed = parseText(["cast", ...words, "--", text].join(" "));
        if (!typed.ok || typed.value.command.kind !== "cast") throw new Error("it is a cast");
        expect(typed.value.options).toEqual(given);
        expect(parseText(commandText(typed.value.command, typed.value.options))).toEqual(typed);
      }),
    );
  });

  it("[L22] what belongs to the moment is not recorded", () => {
    const typed = parseText("link --json --quiet --trust --artifacts out --model a/b A -- x");
    expect(typed.ok && commandText(linked(typed), typed.value.options)).toBe("link A --model a/b -- x");
  });

  it("[L5] no text makes reading throw", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom("-", "'", '"', " ", "a") }));
    fc.assert(
      fc.property(text, (typed) => {
        expect(typeof parseText(`link ${typed}`).ok).toBe("boolean");
        expect(typeof parseText(typed).ok).toBe("boolean");
      }),
    );
  });
});

describe("[L6] options", () => {
  it.each<[title: string, text: string, problems: readonly string[]]>([
    ["[L6] that of cast is none of link", "link --loadout X A -- x", ["unknown_option"]],
    ["[L6] nor is a plan", "link --dry-run A -- x", ["unknown_option"]],
    ["[L6] nor is saving", "link --save Chain A -- x", ["unknown_option"]],
    ["[L6] nor is a map of sockets", "link --map Socket-1=Socket-2 A B -- x", ["unknown_option"]],
    ["[L6] two casts to continue from", "link --from a --from b A -- x", ["repeated_option"]],
    ["[L6] the same one twice", "link --from a A --from=a -- x", ["repeated_option"]],
    ["[L6] there is no other name", "chaincast A -- x", ["unknown_command"]],
  ])("%s", (_title, text, problems) => {
    expect(codes(parseText(text))).toEqual(problems);
  });

  it("[L6] behind the delimiter they are words", () => {
    expect(linked(parseText("link A -- x --from c-1 --json"))).toEqual({
      kind: "link",
      targets: [either("A")],
      prompt: "x --from c-1 --json",
    });
  });

  it("[L6] a value in quotation marks behind = belongs to its option", () => {
    const parsed = parseText('cast --loadout="My Loadout" fix it');
    expect(parsed.ok && parsed.value.command).toEqual({ kind: "cast", loadout: "My Loadout", prompt: "fix it" });
  });
});

describe("[C25] numbers as people type them", () => {
  it.each<[typed: string, tokens: number]>([
    ["200000", 200_000],
    ["200_000", 200_000],
    ["200k", 200_000],
    ["12K", 12_000],
    ["2.5M", 2_500_000],
    ["2.3k", 2300],
    ["1.000001m", 1_000_001],
    ["0", 0],
  ])("[C25] %s", (typed, budget) => {
    for (const head of ["cast", "recast"]) {
      const parsed = parseText(`${head} --budget ${typed}${head === "cast" ? " x" : ""}`);
      expect(parsed.ok && parsed.value.command).toMatchObject({ kind: head, budget });
    }
    expect(linked(parseText(`link --budget=${typed} A -- x`)).budget).toBe(budget);
    const shown = parseText(`budget ${typed}`);
    expect(shown.ok && shown.value.command).toEqual({ kind: "budget", tokens: budget });
  });

  it.each(["1.5", "k", "1kk", "1e3", "0x10", "2,5M", "-1", "1.0000001M", "9999999999999M", "१२"])(
    "[C25] %s is no number of tokens",
    (typed) => {
      expect(codes(parseText(`cast --budget=${typed} x`))).toEqual(["bad_option"]);
    },
  );

  it("[C25] dollars have fractions", () => {
    const parsed = parseText("cast --cost 2.50 x");
    expect(parsed.ok && parsed.value.command).toEqual({ kind: "cast", costUsd: 2.5, prompt: "x" });
  });
});
