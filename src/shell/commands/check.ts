import { bundledLayer } from "../../core/catalog/bundled.ts";
import { mergeLayers } from "../../core/catalog/catalog.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import { readLayer } from "../../core/catalog/layer.ts";
import { checkTarget } from "../../core/compile/targets/compile.ts";
import { worstCase } from "../../core/compile/worst-case.ts";
import { error, fail, isError, ok } from "../../core/model/issue.ts";
import type { Issue, Result } from "../../core/model/issue.ts";
import { didYouMean } from "../../core/model/nearest.ts";
import { harmless } from "../../core/model/text.ts";
import { issueJson, issueLines } from "../../core/view/issues.ts";
import { line } from "../../core/view/text/line.ts";
import { countedText } from "../../core/view/numbers.ts";
import { worstCaseText } from "../../core/view/worst-case.ts";
import { readJsonFile } from "../config/json-file.ts";
import type { Answer } from "./answer.ts";

/** [C19] Every problem of the configuration at once, and how many turns each sound loadout can take. */
export function check(configured: Catalog, file: string | undefined): Answer {
  const catalog = file === undefined ? ok(configured) : catalogWith(file);
  if (!catalog.ok) return { code: 1, data: catalog.issues.map(issueJson), lines: () => issueLines(catalog.issues) };
  const { issues, worst } = checkCatalog(catalog.value);
  const errors = issues.filter(isError).length;
  const counted = `${errors === 0 ? "No errors" : countedText(errors, "error")}, ${countedText(issues.length - errors, "warning")}.`;
  const lines = () => [
    ...issueLines(issues),
    ...(issues.length > 0 ? [line("")] : []),
    ...worst.map(({ name, text }) => line(`${harmless(name)}: ${text}`)),
    line(counted),
  ];
  return { code: errors > 0 ? 1 : 0, data: issues.map(issueJson), lines };
}

function catalogWith(file: string): Result<Catalog> {
  const raw = readJsonFile(file) ?? fail({ ...error("missing_file", "", "there is no such file"), file });
  return raw.ok ? ok(mergeLayers([bundledLayer(), readLayer("explicit", raw.value, file)])) : raw;
}

/** What the bundled layer brings is our business; only its errors would be the user's. */
function checkCatalog(catalog: Catalog): {
  issues: readonly Issue[];
  worst: readonly { name: string; text: string }[];
} {
  const issues: Issue[] = [...catalog.issues];
  const worst: { name: string; text: string }[] = [];
  for (const entry of catalog.materia.values()) issues.push(...entry.issues);
  for (const entry of catalog.loadouts.values()) {
    const { graph, flow, issues: found } = checkTarget({ kind: "loadout", name: entry.name, entry }, catalog, 1);
    issues.push(...found.filter((issue) => isError(issue) || entry.layer !== "bundled"));
    if (flow && !found.some(isError))
      worst.push({ name: entry.name, text: worstCaseText(graph, worstCase(graph, flow, catalog.settings.limits)) });
  }
  const active = catalog.settings.activeLoadout;
  if (!catalog.loadouts.has(active.value)) {
    const issue = error(
      "unknown_loadout",
      "activeLoadout",
      `there is no loadout "${active.value}"`,
      didYouMean(active.value, catalog.loadouts.keys()),
    );
    issues.push(active.file === undefined ? issue : { ...issue, file: active.file });
  }
  return { issues, worst };
}
