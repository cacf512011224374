import { describe, expect, it } from "vitest";
import { resultOf, runIn } from "./harness.ts";

interface SigilResult {
  readonly workItems: readonly unknown[];
  readonly satisfied: boolean;
  readonly context: string;
}

function judge(titles: readonly string[], params: object = {}): SigilResult {
  const workItems = titles.map((title) => ({ title, context: "" }));
  return resultOf("commit-sigil", { state: { workItems }, params }) as SigilResult;
}

/** The faults of one title, as the context gives them after the title. */
function faults(title: string, params: object = {}): string {
  return (
    judge([title], params)
      .context.split("\n")[1]
      ?.replace(/^WI-1 ".*": /s, "") ?? ""
  );
}

describe("Commit-Sigil", () => {
  it("[U33] hands the list on unchanged, with any content", () => {
    const workItems = [
      { title: "feat: a", context: "x", extra: { deep: [1] } },
      JSON.parse(`{"title":"fix: \\ud800 b.","context":"","__proto__":{"a":1}}`),
    ];
    const result = resultOf("commit-sigil", { state: { workItems } }) as SigilResult;
    expect(JSON.stringify(result.workItems)).toBe(JSON.stringify(workItems));
    expect(result.satisfied).toBe(false);
  });

  it("[U33] says when all is well, and nothing but the three fields", () => {
    expect(judge(["feat: a", "fix(core)!: b"])).toEqual({
      workItems: [
        { title: "feat: a", context: "" },
        { title: "fix(core)!: b", context: "" },
      ],
      satisfied: true,
      context: "Titles usable as commit subjects: all 2.",
    });
  });

  it.each<[rule: string, title: string]>([
    ["[U34] plain", "feat: add search"],
    ["[U34] with scope", "fix(web/api): mend it"],
    ["[U34] breaking", "refactor!: drop it"],
    ["[U34] breaking with scope", "feat(core)!: turn it"],
    ["[U34] another case", "Feat: add search"],
    ["[U34] colons later on", "docs: say this: that"],
    ["[U34] exactly 72 characters", `feat: ${"x".repeat(66)}`],
    ["[U34] 72 characters that take two units each", `feat: ${"🎉".repeat(66)}`],
    ["[U34] a joined emoji", "feat: greet 👩‍💻"],
  ])("%s", (_rule, title) => {
    expect(judge([title]).satisfied).toBe(true);
  });

  it.each<[rule: string, title: string, says: string]>([
    ["[U34] no type", "Add search", "is not type(scope)!: subject"],
    ["[U34] no space after the colon", "feat:add", "is not type(scope)!: subject"],
    ["[U34] a space before the colon", "feat : add", "is not type(scope)!: subject"],
    ["[U34] an open scope", "feat(core: add", "is not type(scope)!: subject"],
    ["[U34] empty", "", "is not type(scope)!: subject"],
    ["[U34] a foreign type", "feet: add", 'unknown type "feet"'],
    ["[U34] an empty scope", "feat( ): add", "empty scope"],
    ["[U34] an empty subject", "feat:  ", "empty subject"],
    ["[U34] two spaces", "feat:  add", "spaces around the subject"],
    ["[U34] a period", "feat: add.", "ends with a period"],
    ["[U34] too long", `feat: ${"x".repeat(67)}`, "73 characters, at most 72"],
    ["[U34] a new line", "feat: add\nmore", "has a control character"],
    ["[U34] a terminal escape", "feat: \u001b[31mred", "has a control character"],
    ["[U34] half a character", "feat: \ud83c", "has a control character"],
    ["[U34] writing turned around", "feat: \u202edda", "has a control character"],
    [
      "[U34] several faults",
      "feet(): add\t.",
      'unknown type "feet"; empty scope; ends with a period; has a control character',
    ],
  ])("%s", (_rule, title, says) => {
    expect(faults(title)).toBe(says);
  });

  it("[U35] types and length can be set", () => {
    const params = { types: ["wip", "ship-it"], maxLength: 10 };
    expect(judge(["wip: abcde", "ship-it: x"], params).satisfied).toBe(true);
    expect(faults("feat: abcde", params)).toBe('unknown type "feat"; 11 characters, at most 10');
  });

  it.each<[rule: string, params: object, says: string]>([
    ["[U35] types that are no list", { types: "feat" }, "params.types"],
    ["[U35] no types", { types: [] }, "params.types"],
    ["[U35] a type that is no word", { types: ["a b"] }, "params.types"],
    ["[U35] a type that is no text", { types: [7] }, "params.types"],
    ["[U35] a length that is no number", { maxLength: "72" }, "params.maxLength"],
    ["[U35] a length below one", { maxLength: 0 }, "params.maxLength"],
  ])("%s", (_rule, params, says) => {
    const ran = runIn("commit-sigil", { state: { workItems: [] }, params });
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(says) });
  });

  it("[U36] counts what does not fit", () => {
    const { context } = judge(Array.from({ length: 5000 }, (_, index) => `item ${index}`));
    const shown = context.split("\n").filter((line) => line.startsWith("WI-")).length;
    expect(context.length).toBeLessThanOrEqual(2000);
    expect(shown).toBeGreaterThan(20);
    expect(context).toMatch(new RegExp(`^5000 of 5000 titles .*\nand ${5000 - shown} more$`, "s"));
  });

  it("[U36] shows one long and hostile title short and harmless", () => {
    const types = Array.from({ length: 500 }, (_, index) => `type${index}`);
    const { context } = judge([`\u001b[2J\u009b1m${"x".repeat(100_000)}`], { types });
    expect(context.length).toBeLessThan(1000);
    expect(context).toMatch(/^WI-1 "�\[2J�1mx+…": /m);
    expect(context).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it("[U37] an empty list is satisfied", () => {
    expect(judge([])).toMatchObject({ workItems: [], satisfied: true });
  });

  it.each<[rule: string, state: object, says: string]>([
    ["[U37] no list", {}, "state.workItems is not a list; place Commit-Sigil after a generator"],
    ["[U37] something else", { workItems: "x" }, "is not a list"],
    ["[U37] an item without title", { workItems: [{ title: "feat: a" }, {}] }, "state.workItems[1] has no title"],
    ["[U37] an item that is null", { workItems: [null] }, "state.workItems[0] has no title"],
  ])("%s", (_rule, state, says) => {
    const ran = runIn("commit-sigil", { state });
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(says) });
  });
});
