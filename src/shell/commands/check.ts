import { resolve, relative } from "node:path";
import { bundledLayer } from "../../core/catalog/bundled-layer.ts";
import { mergeLayers, type Catalog } from "../../core/catalog/catalog.ts";
import type { CommandOf } from "../../core/command/command.ts";
import { buildFlow } from "../../core/compile/flow.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { billLines, billSettings, makeBill, type Bill, type BillRequest } from "../../core/view/graph/bill.ts";
import { checkCatalog, type ValidLoadout } from "../../core/compile/targets/compile.ts";
import { changingInstructions } from "../../core/compile/check/state-use.ts";
import { error, fail, failWith, isError, ok, type Issue, type Result, type KeyPath } from "../../core/model/issue.ts";
import { didYouMean, sanitizeForTerminal, countedText } from "../../core/model/text.ts";
import { issueJson, issueLines, type ReviewProblem } from "../../core/view/issues.ts";
import { line } from "../../core/view/line.ts";
import { worstCaseText } from "../../core/view/graph/labels.ts";
import { SESSION_MODEL_VARIABLE, unknownPartsOf } from "../workspace/agent-hosts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { readConfigLayer } from "../config/config.ts";
import { readJsonFile } from "../config/config-file.ts";
import { programsOf, unavailableTools } from "../agents/search-programs.ts";
import { answer, type CommandResult } from "./command-output.ts";
import { findNodeAtLocation, parseTree } from "jsonc-parser";
import { MAX_FILE_BYTES, readRegularFileText, valueOr } from "../system/files.ts";

/** [C19] Every problem of the configuration at once, and how many turns each sound loadout can take. */
export async function runCheck(
  { catalog: configured, place, store }: Workspace,
  { file, strict, bill: asksBill, loadout, items }: CommandOf<"check">,
  from: string,
): CommandResult {
  const { cwd: folder } = place;
  const catalog = file === undefined ? ok(configured) : loadCatalogFile(resolve(from, file));
  if (!catalog.ok) {
    const { issues } = catalog;
    if (issues.some(({ code }) => code === "missing_file")) return catalog;
    const findings = () => issueFindings(issues, folder);
    return answer({ issues: issues.map(issueJson), loadouts: [] }, () => issueLines(issues), { code: 1, findings });
  }
  const { loadouts: allLoadouts } = catalog.value;
  if (loadout !== undefined && !allLoadouts.has(loadout))
    return failWith(
      "unknown_loadout",
      loadout,
      `there is no loadout "${loadout}"`,
      didYouMean(loadout, allLoadouts.keys()),
    );
  const checked = checkCatalog(catalog.value);
  const past = asksBill ? await (await import("./forecast.ts")).loadPastCasts(store) : ok({ casts: [] });
  // Without past casts the bill uses typical sizes.
  const facts = past.ok ? past.value.casts : [];
  const usual = billSettings(catalog.value.settings, place.env[SESSION_MODEL_VARIABLE]);
  const basis = { past: facts, ...usual, ...withoutUndefined({ items }) };
  const bills = asksBill ? billsOf(checked.loadouts, catalog.value, loadout, basis) : [];
  const graphs = checked.loadouts.map(({ graph }) => graph);
  const found = [...checked.issues, ...(await unknownPartsOf(graphs, { catalog: catalog.value, place }))];
  const issues = strict ? found.map(asError) : found;
  const loadouts = checked.loadouts
    .filter(({ entry }) => file === undefined || entry.layer !== "bundled")
    .map(({ entry, graph, worst }) => ({ entry, worstCase: worstCaseText(graph, worst) }))
    .toSorted((a, b) => Number(a.entry.layer === "bundled") - Number(b.entry.layer === "bundled"));
  const errors = issues.filter(isError).length;
  const warnings = issues.filter(({ severity }) => severity === "warning").length;
  const missing = unavailableTools();
  const texts = graphs.flatMap(changingInstructions);
  const changing = [...new Map(texts.map((each) => [`${each.materia} ${each.variable}`, each])).values()];
  const counted = `${errors === 0 ? "No errors" : countedText(errors, "error")}, ${countedText(warnings, "warning")}.`;
  const data = {
    issues: issues.map(issueJson),
    loadouts: loadouts.map(({ entry, worstCase }) => ({ name: entry.name, file: entry.file ?? null, worstCase })),
    ...(asksBill ? { bills } : {}),
    unavailableTools: missing,
    changingInstructions: changing,
  };
  const lines = () => [
    ...issueLines(issues),
    ...(issues.length > 0 ? [line("")] : []),
    ...bills.flatMap((bill) => [...billLines(bill), line("")]),
    ...(asksBill ? [] : loadouts).map(({ entry, worstCase }) =>
      line(`${sanitizeForTerminal(entry.name)}: ${worstCase}`),
    ),
    ...(missing.length === 0 ? [] : [line(missingToolsText(missing))]),
    ...changing.map((each) => line(changingText(each))),
    line(counted),
  ];
  return answer(data, lines, { code: errors > 0 ? 1 : 0, findings: () => issueFindings(issues, folder) });
}

/** [YD3] Of the named loadout; else of the project's own and the active one. */
function billsOf(
  loadouts: readonly ValidLoadout[],
  { settings }: Catalog,
  loadout: string | undefined,
  basis: Omit<BillRequest, "graph" | "flow">,
): readonly Bill[] {
  const isBilled = ({ name, layer }: ValidLoadout["entry"]): boolean =>
    loadout === undefined ? layer !== "bundled" || name === settings.activeLoadout.value : name === loadout;
  return loadouts
    .filter(({ entry }) => isBilled(entry))
    .map(({ graph }) => makeBill({ graph, flow: buildFlow(graph), ...basis }));
}

function changingText({ materia, variable }: ReturnType<typeof changingInstructions>[number]): string {
  const more = variable.startsWith("{{item.") ? " The message has the item anyway." : "";
  return `${sanitizeForTerminal(materia)}: ${sanitizeForTerminal(variable)} changes its instructions between visits, so no cache holds them.${more}`;
}

/** [A32] Once, for all loadouts. */
function missingToolsText(tools: readonly string[]): string {
  const programs = programsOf(tools).join(" and ");
  return `Agents are not offered ${tools.join(" and ")}: PI_OFFLINE is set. Install ${programs} to offer ${tools.length === 1 ? "it" : "them"}.`;
}

function loadCatalogFile(file: string): Result<Catalog> {
  const raw = readJsonFile(file) ?? fail({ ...error("missing_file", "", "there is no such file"), file });
  return raw.ok ? ok(mergeLayers([bundledLayer(), readConfigLayer("explicit", file, raw)])) : raw;
}

function asError(issue: Issue): Issue {
  return issue.severity === "warning" ? { ...issue, severity: "error" } : issue;
}

/** [C56] Issues with the lines at which they are, in files below a folder. */
export function issueFindings(issues: readonly Issue[], folder: string): readonly ReviewProblem[] {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const text = texts.get(file) ?? valueOr(() => readRegularFileText(file, MAX_FILE_BYTES.config), "");
    texts.set(file, text);
    return text;
  };
  return issues.map(({ severity, code, message, hint, file, path }) => ({
    severity,
    code,
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(file === undefined ? {} : { file: relative(folder, file), line: lineOfPath(textOf(file), path) }),
  }));
}

/** The line of a key path; that of its nearest parent if the key is missing. */
function lineOfPath(text: string, path: KeyPath): number {
  const tree = text === "" ? undefined : parseTree(text);
  if (!tree) return 1;
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return text.slice(0, (node.parent?.type === "property" ? node.parent : node).offset).split("\n").length;
  }
  return 1;
}
