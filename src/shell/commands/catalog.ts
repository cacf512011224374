import type { CommandOf } from "../../core/command/command.ts";
import { compileTargets } from "../../core/compile/targets/compile.ts";
import { worstCase } from "../../core/compile/worst-case.ts";
import { error, fail, isError, type Issue, type Result } from "../../core/model/issue.ts";
import { isGate, isGenerator, isInteractive, templateOf, type Materia } from "../../core/model/materia.ts";
import { didYouMean, sanitizeForTerminal } from "../../core/model/text.ts";
import { materiaIcon } from "../../core/view/graph/labels.ts";
import { graphJson, mermaidText, explainGraph } from "../../core/view/graph/export.ts";
import { gridLines } from "../../core/view/graph/terminal-grid.ts";
import { padColumns, line, toned, type Line } from "../../core/view/line.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { setActiveLoadout } from "../config/config.ts";
import { answer, type CommandOutput } from "./command-output.ts";

type CatalogCommand = CommandOf<"loadout" | "materia" | "grid">;

/** Listing commands. They run nothing, so they need no trust. */
export function runCatalogCommand(workspace: Workspace, command: CatalogCommand): Result<CommandOutput> {
  switch (command.kind) {
    case "loadout":
      return command.name === undefined ? listLoadouts(workspace) : activateLoadout(workspace, command.name);
    case "materia":
      return command.name === undefined ? listMateria(workspace) : showMateria(workspace, command.name);
    case "grid":
      return showGraph(workspace, command);
  }
}

function listLoadouts({ catalog }: Workspace): Result<CommandOutput> {
  const active = catalog.settings.activeLoadout.value;
  const rows = [...catalog.loadouts.values()].map(({ name, layer, file, value, issues }) => ({
    name,
    active: name === active,
    source: layer,
    file: file ?? null,
    description: value?.description ?? null,
    sound: value !== undefined && !issues.some(isError),
  }));
  const lines = () =>
    tableLines(
      rows.map(({ active: isActive, sound, description, ...row }) => ({
        ...row,
        mark: isActive ? "●" : sound ? " " : "!",
        text: sound ? (description ?? "") : "has problems; see check",
      })),
    );
  return answer(rows, lines);
}

function activateLoadout({ catalog, place }: Workspace, name: string): Result<CommandOutput> {
  if (!catalog.loadouts.has(name)) return fail(unknownNameIssue("loadout", name, catalog.loadouts.keys()));
  const file = setActiveLoadout(place, name);
  if (!file.ok) return file;
  const text = `${sanitizeForTerminal(name)} is active now (${sanitizeForTerminal(file.value)}).`;
  return answer({ active: name, file: file.value }, () => [line(text)]);
}

function listMateria({ catalog }: Workspace): Result<CommandOutput> {
  const rows = [...catalog.materia.values()].map(({ name, layer, file, value }) => ({
    name,
    type: value?.type ?? null,
    generator: value !== undefined && isGenerator(value),
    interactive: value !== undefined && isInteractive(value),
    gate: value !== undefined && isGate(value),
    source: layer,
    file: file ?? null,
    description: value?.description ?? null,
  }));
  const lines = () =>
    tableLines(
      rows.map(({ type, description, ...row }) => ({
        ...row,
        mark: type === null ? "!" : materiaIcon(type),
        text: description ?? "",
      })),
    );
  return answer(rows, lines);
}

function tableLines(rows: readonly { mark: string; name: string; source: string; text: string }[]): readonly Line[] {
  const names = Math.max(0, ...rows.map((row) => Math.min(40, row.name.length)));
  return rows.map((row) =>
    line(
      toned("accent", row.mark),
      " ",
      toned("strong", padColumns(sanitizeForTerminal(row.name), names)),
      "  ",
      toned("dim", sourceText(row.source).padEnd(11)),
      " ",
      sanitizeForTerminal(row.text),
    ),
  );
}

function showMateria({ catalog }: Workspace, name: string): Result<CommandOutput> {
  const entry = catalog.materia.get(name);
  if (!entry) return fail(unknownNameIssue("materia", name, catalog.materia.keys()));
  const { layer, file, value } = entry;
  if (value === undefined) return fail(...entry.issues);
  const data = { name, source: layer, file: file ?? null, ...value };
  return answer(data, () => materiaLines(name, layer, value));
}

function materiaLines(name: string, source: string, materia: Materia): readonly Line[] {
  const template = templateOf(materia);
  const { description, tools: named, ...others } = { tools: undefined, ...materia };
  const rest = { ...others, tools: typeof named === "object" ? named.tools.join(", ") : named };
  const facts = Object.entries(rest).filter(([key, value]) => value !== undefined && key !== template?.key);
  return [
    line(toned("strong", sanitizeForTerminal(name)), "  ", toned("dim", sourceText(source))),
    ...(description === undefined ? [] : [line(sanitizeForTerminal(description))]),
    ...facts.map(([key, value]) =>
      line(toned("dim", `${key}: `), sanitizeForTerminal(typeof value === "string" ? value : JSON.stringify(value))),
    ),
    ...(template === undefined
      ? []
      : [line(""), ...template.text.split("\n").map((text) => line(sanitizeForTerminal(text)))]),
  ];
}

function sourceText(layer: string): string {
  return layer === "explicit" ? "--config" : layer;
}

function showGraph({ catalog }: Workspace, command: CommandOf<"grid">): Result<CommandOutput> {
  const { activeLoadout, limits } = catalog.settings;
  const refs = command.link ?? [{ kind: "loadout" as const, name: command.name ?? activeLoadout.value }];
  const compiled = compileTargets(refs, catalog);
  if (!compiled.ok) return compiled;
  const { graph, flow, stitches } = compiled.value;
  const worst = worstCase(graph, flow, limits);
  const sentences = explainGraph(graph);
  const lines: CommandOutput["lines"] = (width) => {
    if (command.as === "text") return gridLines(graph, { width: Math.min(width, 120), worst, stitches });
    const texts = command.as === "mermaid" ? mermaidText(graph).trimEnd().split("\n") : sentences;
    return texts.map((text) => line(text));
  };
  const explained = command.as === "sentences" ? { explanation: sentences } : {};
  return answer({ ...graphJson(graph, { worst, stitches }), ...explained }, lines);
}

function unknownNameIssue(kind: "loadout" | "materia", name: string, known: Iterable<string>): Issue {
  const hint = didYouMean(name, known) ?? `"${kind}" lists them`;
  return error(`unknown_${kind}`, name, `there is no ${kind} "${name}"`, hint);
}
