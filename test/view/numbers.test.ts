import { describe, expect, it } from "vitest";
import {
  ageText,
  amountText,
  clockText,
  costText,
  durationText,
  groupedText,
  momentText,
} from "../../src/core/view/numbers.ts";
import { countOfLimitText } from "../../src/core/cast/failure-text.ts";
import { parseMillis } from "../../src/core/model/text.ts";

describe("[C14] figures are written as people read them", () => {
  it.each<[number, string]>([
    [0, "0"],
    [812, "812"],
    [999, "999"],
    [999.6, "1 k"],
    [1200, "1.2 k"],
    [184_000, "184 k"],
    [999_499, "999 k"],
    [999_500, "1 M"],
    [1_520_000, "1.52 M"],
    [2.5e9, "2.5 G"],
    [Number.NaN, "—"],
  ])("%s tokens", (count, text) => expect(amountText(count)).toBe(text));

  it.each<[number, string]>([
    [0, "$0.00"],
    [0.001, "<$0.01"],
    [0.005, "$0.01"],
    [3.84, "$3.84"],
    [Infinity, "—"],
  ])("%s dollars", (dollars, text) => expect(costText(dollars)).toBe(text));

  it.each<[number, string]>([
    [-5, "0 s"],
    [60, "0 s"],
    [490, "0.4 s"],
    [9_999, "9.9 s"],
    [10_000, "0:10"],
    [12_400, "0:12"],
    [1_421_000, "23:41"],
    [3_723_000, "1:02:03"],
    [Number.NaN, "0 s"],
  ])("%s ms as a stay", (ms, text) => expect(durationText(ms)).toBe(text));

  it.each<[number, string]>([
    [999, "0 s"],
    [59_000, "59 s"],
    [34 * 60_000, "34 min"],
    [47 * 3_600_000, "47 h"],
    [72 * 3_600_000, "3 days"],
  ])("%s ms as an age", (ms, text) => expect(ageText(ms)).toBe(text));

  it.each<[number, string]>([
    [7, "7"],
    [999, "999"],
    [1_000, "1,000"],
    [1_234_567, "1,234,567"],
  ])("%s as an exact count", (count, text) => expect(groupedText(count)).toBe(text));

  it("a moment in words", () => {
    const at = new Date(2026, 8, 3, 4, 5);
    expect(momentText(at.toISOString())).toBe("Thursday, September 3, 2026, 04:05");
    expect(momentText("soon")).toBe("soon");
    expect(clockText(at.toISOString(), at.getTime() + 864e5)).toBe("3 Sep 04:05");
  });

  it("limits as 2 of 3, and what a person allowed beyond them", () => {
    expect([countOfLimitText(2, 3), countOfLimitText(4, 3)]).toEqual(["2 of 3", "4 of 3 + 1 allowed"]);
  });

  it("a time that cannot be read counts as the other one", () => {
    expect([parseMillis("1970-01-01T00:00:01Z", 7), parseMillis("yesterday", 7), parseMillis(null, 7)]).toEqual([
      1000, 7, 7,
    ]);
  });
});
