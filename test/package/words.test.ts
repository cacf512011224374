import { describe, expect, it } from "vitest";
import { documentProblems, sourceProblems } from "../../scripts/check-words.ts";

const messages = (text: string): readonly string[] => sourceProblems(text).map(({ message }) => message);

describe("[K8] plain words in names, comments and messages", () => {
  it.each([
    ["an image in a name", "export function openTales() {}", /openTales contains "tales"/],
    [
      "a bare participle as a type",
      "export interface Beaten {}\nexport interface Driving {}",
      /Driving is a bare participle/,
    ],
    ["a name that begins with a preposition", "const ofText = 1;", /ofText begins with a preposition/],
    ["a phrase in a comment", "// It may have ended meanwhile.", /"meanwhile": say when/],
    ["a phrase in a text", 'const text = "a file of its own";', /"of its own"/],
    ["a phrase in a template behind an expression", "const text = `${name} is told once`;", /"is told"/],
    ["a long message", `fail({ message: "${"word ".repeat(40)}end" })`, /a message of 203 characters/],
    ["a message of three sentences", 'fail({ message: "One is. Two is. Three is." })', /a message of 3 sentences/],
  ])("%s is reported", (_what, text, expected) => {
    expect(messages(text)).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    ["nouns that end like participles", "export interface Setting {}\nexport type Feed = 1;"],
    ["names and keys without a space", 'const key = "meanwhile";'],
    ["patterns that contain quotes", "const quoted = /[\"'`]whatever/.exec(text);"],
    ["a long text that is no message", `const text = "${"word ".repeat(60)}end";`],
  ])("%s are allowed", (_what, text) => {
    expect(messages(text)).toEqual([]);
  });

  it("names the line", () => {
    expect(sourceProblems("const a = 1;\n\n// however many there are\n")).toEqual([
      { line: 3, message: '"however many": say the bound, or leave it out' },
    ]);
  });
});

describe("[K8] documents of bounded length", () => {
  it("reports long changelog bullets and long rules, each in its own document", () => {
    const bullet = `- ${"x".repeat(201)}`;
    const rule = `- **G1** ${"x".repeat(400)}`;
    expect(documentProblems("CHANGELOG.md", bullet)).toEqual([
      { line: 1, message: "a changelog bullet of 201 characters; at most 200" },
    ]);
    expect(documentProblems("docs/spec/graph.md", `# Graph\n\n${rule}`)).toEqual([
      { line: 3, message: "a rule of 409 characters; split it, at most 400" },
    ]);
    expect(documentProblems("README.md", bullet)).toEqual([]);
  });

  it("leaves code alone", () => {
    expect(documentProblems("README.md", "Run `materia whatever` now.")).toEqual([]);
  });
});
