import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Issue } from "../../src/core/model/issue.ts";
import { readJsonFile } from "../../src/shell/config/config-file.ts";
import { scratchFolder } from "../harness/agents.ts";

function written(content: string | Uint8Array): string {
  const file = join(scratchFolder(), "materia.json");
  writeFileSync(file, content);
  return file;
}

function issuesOf(file: string): readonly Issue[] {
  const read = readJsonFile(file);
  return read && !read.ok ? read.issues : [];
}

it.each<[rule: string, text: string, value: unknown]>([
  ["[F3] plain JSON", '{"a":[1,"b",null,true]}', { a: [1, "b", null, true] }],
  ["[F3] line comments", '// first\n{"a":1 // behind\n}\n// last', { a: 1 }],
  ["[F3] block comments", '/* a\n b */{"a":/* c */1}/**/', { a: 1 }],
  ["[F3] what looks like a comment in a string", '{"a":"http://x /* y */",}', { a: "http://x /* y */" }],
  ["[F3] trailing commas", '{"a":[1,2,],"b":{"c":1,},}', { a: [1, 2], b: { c: 1 } }],
  ["[F3] CRLF", '{\r\n  "a": 1, // x\r\n}\r\n', { a: 1 }],
  ["[F3] a byte order mark", '\ufeff{"a":1}', { a: 1 }],
  ["[F3] a byte order mark before a comment", '\ufeff// x\n{"a":1}', { a: 1 }],
  ["[F3] the later of two equal keys", '{"a":1,"a":2}', { a: 2 }],
  ["[F3] the later of two equal keys, with a comment", '{"a":1,"a":2}//', { a: 2 }],
  ["[F3] a text", '"x"', "x"],
])("%s", (_rule, text, value) => {
  expect(readJsonFile(written(text))).toEqual({ ok: true, value });
});

it.each<[rule: string, text: string]>([
  ["[F3] __proto__ in plain JSON", '{"__proto__":{"polluted":1},"a":1}'],
  ["[F3] __proto__ beside a comment", '{"__proto__":{"polluted":1},"a":1,}//'],
])("%s is a key like any other", (_rule, text) => {
  const read = readJsonFile(written(text));
  const value = read?.ok ? read.value : {};
  expect(Object.entries(value as object)).toEqual([
    ["__proto__", { polluted: 1 }],
    ["a", 1],
  ]); // it was read from an object
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

it("[F5] a file that does not exist is no problem here", () => {
  const folder = scratchFolder();
  writeFileSync(join(folder, "file"), "");
  expect(readJsonFile(join(folder, "none.json"))).toBeUndefined();
  expect(readJsonFile(join(folder, "none", "none.json"))).toBeUndefined();
  expect(readJsonFile(join(folder, "file", "below.json"))).toBeUndefined();
});

it("[F5] a folder in place of the file", () => {
  const file = join(scratchFolder(), "materia.json");
  mkdirSync(file);
  expect(issuesOf(file)).toEqual([
    { severity: "error", code: "unreadable_file", path: [], file, message: expect.stringContaining("it is a folder") },
  ]);
});

it("[F5] a link that leads to itself", () => {
  const file = join(scratchFolder(), "materia.json");
  symlinkSync(file, file);
  expect(issuesOf(file)).toEqual([
    { severity: "error", code: "unreadable_file", path: [], file, message: expect.stringContaining("cannot read") },
  ]);
});

it.each<[rule: string, text: string, place: string]>([
  ["[F6] a missing comma", '{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"],
  ["[F6] a missing comma, CRLF", '{\r\n  "a": 1\r\n  "b": 2\r\n}', "line 3, column 3"],
  ["[F6] after a comment", '{ // x\n/* y\n z */ "a" 1\n}', "line 3, column 11"],
  ["[F6] after signs outside the basic plane", '{"😀": x}', "line 1, column 8"],
  ["[F6] single quotes", "{\n'a': 1}", "line 2, column 1"],
  ["[F6] a key without quotes", "{\n  a: 1\n}", "line 2, column 3"],
  ["[F6] a string that does not end", '{"a": "x\n}', "line 1, column 7"],
  ["[F6] more than one value", '{"a":1}\n{"b":2}', "line 2, column 1"],
  ["[F6] an end that comes too early", '{\n  "a": [1,\n', "line 3, column 1"],
  ["[F6] nothing but a comment", "// nothing", "line 1, column 11"],
  ["[F6] an empty file", "", "line 1, column 1"],
  ["[F6] nothing but blanks", " \n\n ", "line 1, column 1"],
  ["[F6] a picture", "\u0089PNG\r\n\u001a\n\0\0", "line 1, column 1"],
])("%s", (_rule, text, place) => {
  const file = written(text);
  const [first] = issuesOf(file);
  expect(first).toMatchObject({ severity: "error", code: "bad_json", path: [place], file });
});

it("[F6] of a thousand faults a few are reported", () => {
  expect(issuesOf(written("[x ".repeat(1_000))).length).toBeLessThanOrEqual(10);
});

it.each<[rule: string, text: string]>([
  ["[F6] lists", "[".repeat(100_000)],
  ["[F6] lists behind a comment", `//\n${"[".repeat(100_000)}`],
  ["[F6] objects", `{"a":`.repeat(100_000)],
  ["[F6] lists that are closed, behind a comment", `//\n${"[".repeat(100_000)}${"]".repeat(100_000)}`],
])("%s nested beyond reason are an error, not a crash", (_rule, text) => {
  const file = written(text);
  expect(issuesOf(file)[0]).toMatchObject({ code: "bad_json", file });
});

it.each<[rule: string, bytes: number, shown: string]>([
  ["[F7] 10 MB", 10_000_000, "9.5 MB"],
  ["[F7] 10 MiB", 10 * 1024 * 1024, "10.0 MB"],
  ["[F7] one byte more than 8 MiB", 8 * 1024 * 1024 + 1, "8.0 MB"],
])("%s", (_rule, bytes, shown) => {
  const file = written(`{"a":"${"x".repeat(bytes - 8)}"}`);
  expect(issuesOf(file)).toEqual([
    {
      severity: "error",
      code: "file_too_large",
      path: [],
      file,
      message: expect.stringContaining(shown),
      hint: expect.any(String),
    },
  ]);
});

it("[F7] 8 MiB are read", () => {
  const text = "x".repeat(8 * 1024 * 1024 - 8);
  expect(readJsonFile(written(`{"a":"${text}"}`))).toEqual({ ok: true, value: { a: text } });
});

it("[F6] no bytes make the reader throw, and a fault has a place", () => {
  const file = join(scratchFolder(), "materia.json");
  const sound = '{ // x\n "materia": { "A": { "prompt": "p", }, }, /* y */ "budget": { "maxTokens": 1e3 } }\n';
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: "binary", maxLength: 200 }).map((text) => Buffer.from(text)),
    fc
      .tuple(fc.nat(sound.length), fc.nat(20), fc.string({ maxLength: 4 }))
      .map(([at, gone, noise]) => Buffer.from(sound.slice(0, at) + noise + sound.slice(at + gone))),
    fc
      .array(fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "//", "/*", "*/", "\n", "1", "true", "\\", "\ufeff"), {
        maxLength: 40,
      })
      .map((all) => Buffer.from(all.join(""))),
  );
  fc.assert(
    fc.property(bytes, (content) => {
      writeFileSync(file, content);
      for (const issue of issuesOf(file))
        expect(issue).toMatchObject({
          code: "bad_json",
          path: [expect.stringMatching(/^line \d+, column \d+$/)],
          file,
        });
    }),
    { numRuns: 500 },
  );
});
