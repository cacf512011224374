import { describe, expect, it } from "vitest";
import { checkpointAuthors } from "../../src/core/view/file-changes.ts";
import { parsePatch, patchRows, type PatchRow, showHiddenCharacters, tokenizerFor } from "../../src/core/view/patch.ts";

const HEAD = "diff --git a/a.ts b/a.ts\nindex 1111111..2222222 100644\n--- a/a.ts\n+++ b/a.ts\n";

/** `-2 old`, `+2 new`, ` 1/1 same`: every line with its numbers. */
function linesOf(text: string): readonly string[] {
  return parsePatch(text).flatMap(({ hunks }) =>
    hunks.flatMap(({ lines }) =>
      lines.map(({ kind, before, after, text: line, lacksFinalNewline: isUnended }) => {
        const sign = { same: " ", gone: "-", new: "+" }[kind];
        return `${sign}${[before, after].filter((number) => number !== null).join("/")} ${line}${isUnended ? "¶" : ""}`;
      }),
    ),
  );
}

function rowsOf(text: string, form: "unified" | "split"): readonly PatchRow[] {
  return parsePatch(text).flatMap((file) => patchRows(file, form));
}

describe("a patch", () => {
  it("[W42] every line has its numbers before and after", () => {
    const text = `${HEAD}@@ -1,3 +1,3 @@ function a() {\n one\n-two\n+2\n three\n@@ -9 +9,2 @@\n-nine\n+9\n+ten\n`;
    expect(linesOf(text)).toEqual([" 1/1 one", "-2 two", "+2 2", " 3/3 three", "-9 nine", "+9 9", "+10 ten"]);
    expect(parsePatch(text)[0]?.hunks.map(({ about }) => about)).toEqual(["function a() {", ""]);
  });

  it("[W42] lines of a file are never taken for headers of the patch", () => {
    const text = `${HEAD}@@ -1,4 +1,4 @@\n--- a/etc\n-diff --git a/x b/x\n-@@ -1 +1 @@\n-\\ No newline\n+++ b/etc\n+diff --git a/y b/y\n+@@ -7 +7 @@\n+Binary files differ\n`;
    const [file, ...others] = parsePatch(text);
    expect(others).toEqual([]);
    expect(file?.isBinary).toBe(false);
    expect(linesOf(text)).toEqual([
      "-1 -- a/etc",
      "-2 diff --git a/x b/x",
      "-3 @@ -1 +1 @@",
      "-4 \\ No newline",
      "+1 ++ b/etc",
      "+2 diff --git a/y b/y",
      "+3 @@ -7 +7 @@",
      "+4 Binary files differ",
    ]);
  });

  it("[W42] a missing last line break belongs to the line before it", () => {
    const mark = "\\ No newline at end of file\n";
    expect(linesOf(`${HEAD}@@ -1 +1 @@\n-one\n${mark}+one\n`)).toEqual(["-1 one¶", "+1 one"]);
    expect(linesOf(`${HEAD}@@ -1 +1 @@\n-one\n+one\n${mark}`)).toEqual(["-1 one", "+1 one¶"]);
  });

  it.each([
    ["a rename alone", "similarity index 100%\nrename from a\nrename to b\n", { similarity: 100 }],
    ["a mode alone", "old mode 100644\nnew mode 100755\n", { modes: { before: "100644", after: "100755" } }],
    ["no text", "index 1..2 100644\nBinary files a/a.png and b/a.png differ\n", { isBinary: true }],
    ["an empty new file", "new file mode 100644\nindex 000..e69\n", { modes: { before: null, after: "100644" } }],
  ])("[W42] %s has no lines and is named", (_, head, expected) => {
    const plain = { modes: { before: null, after: null }, similarity: null, isBinary: false, hunks: [] };
    expect(parsePatch(`diff --git a/a b/b\n${head}`)).toEqual([{ ...plain, ...expected }]);
  });

  it("[W42] a file that became a link is two parts, and a cut patch ends at its cut", () => {
    const link = `diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\ndiff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n`;
    expect(parsePatch(link).map(({ modes }) => modes)).toEqual([
      { before: "100644", after: null },
      { before: null, after: "120000" },
    ]);
    expect(linesOf(`${HEAD}@@ -1,900 +1,900 @@\n one\n-two\n`)).toEqual([" 1/1 one", "-2 two"]);
    expect(parsePatch("")).toEqual([]);
  });

  it("[W25] side by side, what came stands beside what went", () => {
    const text = `${HEAD}@@ -1,3 +1,4 @@\n same\n-a = 1;\n-b\n+a = 2;\n+b\n+c\n`;
    const sides = rowsOf(text, "split").map((row) =>
      row.kind === "pair" ? [row.left?.line.text ?? null, row.right?.line.text ?? null] : row.kind,
    );
    expect(sides).toEqual([
      ["same", "same"],
      ["a = 1;", "a = 2;"],
      ["b", "b"],
      [null, "c"],
    ]);
    expect(rowsOf(`${HEAD}@@ -9 +9 @@\n-a\n+b\n`, "split").map(({ kind }) => kind)).toEqual(["hunk", "pair"]);
    const marks = rowsOf(text, "unified").flatMap((row) => (row.kind === "line" && row.changed ? [row.changed] : []));
    expect(marks).toEqual([
      { from: 4, to: 5 },
      { from: 4, to: 5 },
    ]);
  });

  it("[W42] invisible and reordering characters are shown by their number", () => {
    expect(showHiddenCharacters("a\u202eb\u001b[31m\u0000\ud800\r")).toBe("a⟨202E⟩b⟨001B⟩[31m⟨0000⟩\ufffd␍");
    expect(showHiddenCharacters("tab\tनमस्ते 🎉")).toBe("tab\tनमस्ते 🎉");
  });

  it("[W25] code is coloured word by word, and no line costs more than its length", () => {
    const colour = tokenizerFor("src/a.ts");
    expect(colour?.('const a = "x"; // 1')).toEqual([
      { kind: "keyword", text: "const" },
      { kind: "plain", text: " a = " },
      { kind: "string", text: '"x"' },
      { kind: "plain", text: "; " },
      { kind: "comment", text: "// 1" },
    ]);
    expect(tokenizerFor("notes.md")).toBeNull();
    for (const hostile of ['"'.repeat(399), "\\\"'".repeat(130), "a".repeat(399), "`\\".repeat(199), "/*".repeat(199)])
      expect(
        colour?.(hostile)
          .map(({ text }) => text)
          .join(""),
      ).toBe(hostile);
    expect(colour?.("x".repeat(100_000))).toHaveLength(1);
  });

  it("[W26] the makers of checkpoints are the visits that the journal names, each once", () => {
    const at = "2026-01-02T03:04:05.000Z";
    const files = (commit: string) => ({ commit, changed: 1, added: 1, removed: 0 });
    const events = [
      { seq: 1, at, type: "checkpoint_taken", socket: "Socket-1", visit: 1, files: files("a") },
      { seq: 2, at, type: "visit_completed", socket: "Socket-1", visit: 1, files: files("b") },
      { seq: 3, at, type: "cast_resumed", files: { ...files("c"), names: [] } },
      { seq: 4, at, type: "visit_completed", socket: "Socket-2", visit: 1, files: files("d") },
    ] as unknown as Parameters<typeof checkpointAuthors>[0];
    expect(checkpointAuthors(events, ["a", "b", "c"])).toEqual([
      { kind: "visit", socket: "Socket-1", visit: 1 },
      { kind: "others", seq: 3 },
    ]);
  });
});
