import { bundledLayer } from "../../core/catalog/bundled-layer.ts";
import { mergeLayers, type Catalog } from "../../core/catalog/catalog.ts";
import { readLayer, type CatalogEntry } from "../../core/catalog/layer.ts";
import type { Command } from "../../core/command/command.ts";
import { checkCatalog } from "../../core/compile/targets/check-catalog.ts";
import { error, fail, info, isError, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { sanitizeForTerminal, countedText } from "../../core/model/text.ts";
import { issueJson, issueLines } from "../../core/view/issues.ts";
import { line } from "../../core/view/line.ts";
import { worstCaseText } from "../../core/view/graph/worst-case-text.ts";
import { resolveCommandFiles } from "../config/config.ts";
import { readJsonFile } from "../config/config-file.ts";
import type { CommandOutput } from "./command-output.ts";

type CheckCommand = Extract<Command, { kind: "check" }>;

/** [C19] Every problem of the configuration at once, and how many turns each sound loadout can take. */
export function runCheck(configured: Catalog, { file, strict }: Pick<CheckCommand, "file" | "strict">): CommandOutput {
  const catalog = file === undefined ? ok(configured) : loadCatalogFile(file);
  if (!catalog.ok) return { code: 1, data: catalog.issues.map(issueJson), lines: () => issueLines(catalog.issues) };
  const checked = checkCatalog(catalog.value);
  const issues = strict ? checked.issues.map(asError) : checked.issues;
  const worst = checked.loadouts.map((loadout) => ({ ...loadout, text: worstCaseText(loadout.graph, loadout.worst) }));
  const errors = issues.filter(isError).length;
  const warnings = issues.filter(({ severity }) => severity === "warning").length;
  const counted = `${errors === 0 ? "No errors" : countedText(errors, "error")}, ${countedText(warnings, "warning")}.`;
  const lines = () => [
    ...issueLines(issues),
    ...(issues.length > 0 ? [line("")] : []),
    ...worst.map(({ entry, text }) => line(`${sanitizeForTerminal(entry.name)}: ${text}`)),
    line(counted),
  ];
  const data = [...issues, ...worst.map(({ entry, text }) => worstCaseIssue(entry, text))].map(issueJson);
  return { code: errors > 0 ? 1 : 0, data, lines };
}

function loadCatalogFile(file: string): Result<Catalog> {
  const raw = readJsonFile(file) ?? fail({ ...error("missing_file", "", "there is no such file"), file });
  return raw.ok
    ? ok(mergeLayers([bundledLayer(), readLayer("explicit", resolveCommandFiles(raw.value, file), file)]))
    : raw;
}

function asError(issue: Issue): Issue {
  return issue.severity === "warning" ? { ...issue, severity: "error" } : issue;
}

function worstCaseIssue({ name, file }: CatalogEntry<unknown>, text: string): Issue {
  const issue = info("worst_case", ["loadouts", name], text);
  return file === undefined ? issue : { ...issue, file };
}
