import { describe, expect, it } from "vitest";
import { namesTwice } from "../../scripts/check-names.ts";

const A = "src/core/a.ts";
const B = "src/shell/b.ts";

describe("[K7] one name for one idea", () => {
  it.each([
    ["interfaces", "export interface Part {}", "export interface Part {}"],
    ["a type and a function", "export type Part = 1;", "export function Part() {}"],
    ["a constant and a class", "export const Part = 1;", "export class Part {}"],
    ["functions that wait", "export async function Part() {}", "export function* Part() {}"],
  ])("%s of two modules are found", (_what, first, second) => {
    expect(
      namesTwice([
        [A, first],
        [B, `// not the first line\n${second}`],
      ]),
    ).toEqual([["Part", [A, B]]]);
  });

  it("a schema and its type, overloads, and names that are not exported are none", () => {
    const schema = "export const Graph = 1;\nexport type Graph = typeof Graph;";
    const overloads = "export function read(a: 1): 1;\nexport function read(a: 2): 2;";
    expect(
      namesTwice([
        [A, `${schema}\n${overloads}\nfunction Part() {}`],
        [B, "export interface Part {}"],
      ]),
    ).toEqual([]);
  });

  it("two stores and two faces may do the same, each once; a third module may not", () => {
    const text = "export function watch() {}";
    const [cli, pi, files] = ["src/apps/cli/a.ts", "src/apps/pi/a.ts", "src/shell/store/files/a.ts"];
    expect(
      namesTwice([
        [cli, text],
        [pi, text],
      ]),
    ).toEqual([]);
    expect(
      namesTwice([
        [files, text],
        ["src/shell/store/postgres/a.ts", text],
      ]),
    ).toEqual([]);
    expect(
      namesTwice([
        [cli, text],
        [pi, text],
        [A, text],
      ]),
    ).toEqual([["watch", [cli, pi, A]]]);
    expect(
      namesTwice([
        [pi, text],
        ["src/apps/pi/b.ts", text],
      ]),
    ).toEqual([["watch", [pi, "src/apps/pi/b.ts"]]]);
    expect(
      namesTwice([
        [cli, text],
        [files, text],
      ]),
    ).toEqual([["watch", [cli, files]]]);
  });
});
