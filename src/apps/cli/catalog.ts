import { resolve } from "node:path";
import { mergeLayers } from "../../core/catalog/catalog.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import { readLayer } from "../../core/catalog/layer.ts";
import { bundledLayer } from "../../core/catalog/bundled.ts";
import type { Command, GridCommand } from "../../core/command/command.ts";
import { checkTarget, compile } from "../../core/compile/compile.ts";
import { worstCase } from "../../core/compile/worst-case.ts";
import { error, fail, isError, ok } from "../../core/model/issue.ts";
import type { Issue, Result } from "../../core/model/issue.ts";
import { isInteractive } from "../../core/model/materia.ts";
import type { Materia } from "../../core/model/materia.ts";
import { didYouMean } from "../../core/model/nearest.ts";
import { never } from "../../core/model/never.ts";
import { harmless } from "../../core/model/text.ts";
import { gridJson } from "../../core/view/grid-json.ts";
import { gridLines } from "../../core/view/grid.ts";
import { mermaidText } from "../../core/view/mermaid.ts";
import { line, toned } from "../../core/view/text/line.ts";
import type { Line } from "../../core/view/text/line.ts";
import { padColumns } from "../../core/view/text/columns.ts";
import { worstCaseText } from "../../core/view/worst-case.ts";
import { readJsonFile } from "../../shell/files/json-file.ts";
import { chooseLoadout } from "../../shell/files/choose-loadout.ts";
import { issueJson, printIssues } from "./issues.ts";
import { printJson, printLines } from "./lines.ts";
import type { Request } from "./main.ts";

type CatalogCommand = Extract<Command, { kind: "loadout" | "materia" | "grid" | "check" }>;
type CatalogRequest = Request & { readonly command: CatalogCommand };

/** Looking at what can be named. Nothing here runs anything, so nothing here needs trust. */
export function lookAtCatalog(request: CatalogRequest): Result<number> {
  const { command } = request;
  switch (command.kind) {
    case "loadout":
      return command.name === undefined ? listLoadouts(request) : choose(request, command.name);
    case "materia":
      return command.name === undefined ? listMateria(request) : showMateria(request, command.name);
    case "grid":
      return grid(request, command);
    case "check":
      return check(request, command.file);
    default:
      return never(command);
  }
}

function listLoadouts({ io, options, workspace: { catalog } }: CatalogRequest): Result<number> {
  const active = catalog.settings.activeLoadout.value;
  const rows = [...catalog.loadouts.values()].map(({ name, layer, file, value, issues }) => ({
    name,
    active: name === active,
    source: layer,
    file: file ?? null,
    description: value?.description ?? null,
    sound: value !== undefined && !issues.some(isError),
  }));
  if (options.json) printJson(io, rows);
  else printLines(io, table(rows.map((row) => ({ mark: row.active ? "●" : row.sound ? " " : "!", name: row.name, source: row.source, text: row.sound ? (row.description ?? "") : "has problems; see check" }))));
  return ok(0);
}

function choose({ io, workspace }: CatalogRequest, name: string): Result<number> {
  if (!workspace.catalog.loadouts.has(name)) return fail(unknownName("loadout", name, workspace.catalog.loadouts.keys()));
  const chosen = chooseLoadout(workspace.place, name);
  if (!chosen.ok) return chosen;
  io.out(`${harmless(name)} is active now (${chosen.value}).\n`);
  return ok(0);
}

function listMateria({ io, options, workspace: { catalog } }: CatalogRequest): Result<number> {
  const rows = [...catalog.materia.values()].map(({ name, layer, file, value }) => ({
    name,
    type: value?.type ?? null,
    generator: value?.generator === true,
    interactive: value !== undefined && isInteractive(value),
    source: layer,
    file: file ?? null,
    description: value?.description ?? null,
  }));
  if (options.json) printJson(io, rows);
  else printLines(io, table(rows.map((row) => ({ mark: row.type === null ? "!" : row.type === "utility" ? "◆" : "●", name: row.name, source: row.source, text: row.description ?? "" }))));
  return ok(0);
}

function table(rows: readonly { mark: string; name: string; source: string; text: string }[]): readonly Line[] {
  const names = Math.max(0, ...rows.map((row) => Math.min(40, row.name.length)));
  return rows.map((row) => line(toned("accent", row.mark), " ", toned("strong", padColumns(harmless(row.name), names)), "  ", toned("dim", row.source.padEnd(11)), " ", harmless(row.text)));
}

function showMateria({ io, options, workspace: { catalog } }: CatalogRequest, name: string): Result<number> {
  const entry = catalog.materia.get(name);
  if (!entry) return fail(unknownName("materia", name, catalog.materia.keys()));
  if (entry.value === undefined) return fail(...entry.issues);
  if (options.json) printJson(io, { name, source: entry.layer, file: entry.file ?? null, ...entry.value });
  else printLines(io, materiaLines(name, entry.layer, entry.value));
  return ok(0);
}

function materiaLines(name: string, source: string, materia: Materia): readonly Line[] {
  const { description, prompt, ...rest } = { prompt: "", ...materia };
  const facts = Object.entries(rest).filter(([, value]) => value !== undefined);
  return [
    line(toned("strong", harmless(name)), "  ", toned("dim", source)),
    ...(description === undefined ? [] : [line(harmless(description))]),
    ...facts.map(([key, value]) => line(toned("dim", `${key}: `), harmless(typeof value === "string" ? value : JSON.stringify(value)))),
    ...(prompt === "" ? [] : [line(""), ...prompt.split("\n").map((text) => line(harmless(text)))]),
  ];
}

/** The graph of a loadout, or of a chain before it is run. */
function grid({ io, options, workspace }: CatalogRequest, command: GridCommand): Result<number> {
  const refs = command.link ?? [{ kind: "loadout" as const, name: command.name ?? workspace.catalog.settings.activeLoadout.value }];
  const compiled = compile(refs, workspace.catalog);
  if (!compiled.ok) return compiled;
  const { graph, flow, stitches } = compiled.value;
  const worst = worstCase(graph, flow, workspace.catalog.settings.limits);
  if (options.json) printJson(io, gridJson(graph, { worst, stitches }));
  else if (command.as === "mermaid") io.out(`${mermaidText(graph)}\n`);
  else printLines(io, gridLines(graph, { width: Math.min(io.columns(), 120), worst, stitches }));
  return ok(0);
}

/** [C19] Every problem of the configuration at once, and how many turns each sound loadout can take. */
function check({ io, options, workspace }: CatalogRequest, file: string | undefined): Result<number> {
  const catalog = file === undefined ? ok(workspace.catalog) : catalogWith(resolve(io.cwd, file));
  if (!catalog.ok) {
    if (options.json) printJson(io, catalog.issues.map(issueJson));
    else printIssues(io, catalog.issues, io.out);
    return ok(1);
  }
  const { issues, worst } = checkCatalog(catalog.value);
  const errors = issues.filter(isError).length;
  if (options.json) printJson(io, issues.map(issueJson));
  else {
    printIssues(io, issues, io.out);
    if (issues.length > 0) io.out("\n");
    for (const { name, text } of worst) io.out(`${harmless(name)}: ${text}\n`);
    io.out(`${errors === 0 ? "No errors" : `${errors} ${errors === 1 ? "error" : "errors"}`}, ${issues.length - errors} ${issues.length - errors === 1 ? "warning" : "warnings"}.\n`);
  }
  return ok(errors > 0 ? 1 : 0);
}

function catalogWith(file: string): Result<Catalog> {
  const raw = readJsonFile(file) ?? fail({ ...error("missing_file", "", "there is no such file"), file });
  return raw.ok ? ok(mergeLayers([bundledLayer(), readLayer("explicit", raw.value, file)])) : raw;
}

/** What the bundled layer brings is our business; only its errors would be the user's. */
function checkCatalog(catalog: Catalog): { issues: readonly Issue[]; worst: readonly { name: string; text: string }[] } {
  const issues: Issue[] = [...catalog.issues];
  const worst: { name: string; text: string }[] = [];
  for (const entry of catalog.materia.values()) issues.push(...entry.issues);
  for (const entry of catalog.loadouts.values()) {
    const { graph, flow, issues: found } = checkTarget({ kind: "loadout", name: entry.name, entry }, catalog, 1);
    issues.push(...found.filter((issue) => isError(issue) || entry.layer !== "bundled"));
    if (flow && !found.some(isError)) worst.push({ name: entry.name, text: worstCaseText(graph, worstCase(graph, flow, catalog.settings.limits)) });
  }
  const active = catalog.settings.activeLoadout;
  if (!catalog.loadouts.has(active.value)) {
    const issue = error("unknown_loadout", "activeLoadout", `there is no loadout "${active.value}"`, didYouMean(active.value, catalog.loadouts.keys()));
    issues.push(active.file === undefined ? issue : { ...issue, file: active.file });
  }
  return { issues, worst };
}

function unknownName(kind: "loadout" | "materia", name: string, known: Iterable<string>): Issue {
  return error(`unknown_${kind}`, name, `there is no ${kind} "${name}"`, didYouMean(name, known) ?? `"${kind}" lists them`);
}
