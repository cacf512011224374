import { describe, expect, it } from "vitest";
import { duplicateTypes } from "../../scripts/check-names.ts";

const A = "src/core/a.ts";
const B = "src/shell/b.ts";

describe("[K7] a type has one name in the project", () => {
  it.each([
    ["two interfaces", "export interface Part {}", "export interface Part {}"],
    ["a type and a class", "export type Part = 1;", "export class Part {}"],
    ["an enum and a declared class", "export enum Part {}", "export declare abstract class Part {}"],
  ])("%s with one name are reported", (_what, first, second) => {
    expect(
      duplicateTypes([
        [A, first],
        [B, `// not the first line\n${second}`],
      ]),
    ).toEqual([["Part", [A, B]]]);
  });

  it.each([
    ["functions", "export function read() {}", "export async function read() {}"],
    ["a schema with its type", "export const Graph = 1;\nexport type Graph = typeof Graph;", "export const Graph = 2;"],
    ["a type that one module keeps to itself", "export interface Part {}", "interface Part {}"],
  ])("%s may share a name", (_what, first, second) => {
    expect(
      duplicateTypes([
        [A, first],
        [B, second],
      ]),
    ).toEqual([]);
  });
});
