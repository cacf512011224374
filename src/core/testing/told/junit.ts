import type { Json } from "../../model/values/json.ts";
import type { TestReport } from "./report.ts";

/** The results as CI reads them. */
export function junitText(tests: readonly TestReport[]): string {
  const failed = tests.filter(({ ok }) => !ok).length;
  const seconds = tests.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${tests.length}" failures="${failed}" time="${seconds.toFixed(3)}">`,
    `  <testsuite name="materia" tests="${tests.length}" failures="${failed}" time="${seconds.toFixed(3)}">`,
    ...tests.map(testCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase({ file, ms, failures }: TestReport): string {
  const open = `    <testcase classname="materia" name="${escapeXml(file)}" time="${(ms / 1000).toFixed(3)}"`;
  if (failures.length === 0) return `${open}/>`;
  const told = failures.map(
    ({ what, expected, got, where }) =>
      `      <failure message="${escapeXml(what)}">${escapeXml(`expected ${jsonText(expected)}\n     got ${jsonText(got)}\n      at ${where}`)}</failure>`,
  );
  return [`${open}>`, ...told, "    </testcase>"].join("\n");
}

function jsonText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** XML knows no other control characters, however they are written. */
function escapeXml(value: string): string {
  return value
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
