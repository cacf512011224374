import * as v from "valibot";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { CommandOf } from "../../core/command/command.ts";
import type { CastStart } from "../../core/cast/state/state.ts";
import { compileTargets } from "../../core/compile/targets/compile.ts";
import { worstCase } from "../../core/compile/worst-case.ts";
import { printJson } from "../../core/edit/json-edit.ts";
import { CastId } from "../../core/model/ids.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { fuzzedCastToTest, fuzzGraph, fuzzSubject } from "../../core/testing/fuzz.ts";
import { fuzzLines } from "../../core/testing/report.ts";
import { worstCaseText } from "../../core/view/graph/labels.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { errorText } from "../system/files.ts";
import { answer, type CommandOutput } from "./command-output.ts";

const DEFAULTS = { casts: 5_000, seed: 1, items: 3 };

/** [T17] Runs nothing: the answers of agents, utilities and people are generated. */
export function runFuzz({ catalog }: Workspace, command: CommandOf<"fuzz">, from: string): Result<CommandOutput> {
  const { limits, activeLoadout } = catalog.settings;
  const compiled = compileTargets([{ kind: "loadout", name: command.loadout ?? activeLoadout.value }], catalog);
  if (!compiled.ok) return compiled;
  const { graph, flow } = compiled.value;
  const start: CastStart = {
    castId: v.parse(CastId, "fuzz"),
    request: "Found by fuzzing",
    graph,
    limits,
    budget: {},
    data: {},
  };
  const began = performance.now();
  const fuzzed = fuzzGraph(fuzzSubject(start, flow), { ...DEFAULTS, ...command.settings });
  const seconds = (performance.now() - began) / 1000;
  const findings = fuzzed.findings.map(({ what, fault, casts: count, smallest }) => {
    return { what, fault, casts: count, test: fuzzedCastToTest(smallest, graph) ?? null };
  });
  const files = command.out === undefined ? ok([]) : writeTests(resolve(from, command.out), graph.name, findings);
  if (!files.ok) return files;
  const written = files.value.map((file) => relative(from, file));
  const worst = worstCaseText(graph, worstCase(graph, flow, limits));
  const { casts, seed, outcomes, mostTurns, conflicts, missing, unreachable } = fuzzed;
  const figures = { casts, seed, seconds, outcomes, mostTurns, conflicts };
  return answer(
    { loadout: graph.name, ...figures, findings, missing, unreachable },
    (width) => fuzzLines(graph.name, { ...fuzzed, seconds, worst, written }, width),
    { code: findings.some(({ fault }) => fault) ? 1 : 0 },
  );
}

function writeTests(
  folder: string,
  name: string,
  findings: readonly { readonly what: string; readonly test: ReturnType<typeof fuzzedCastToTest> | null }[],
): Result<readonly string[]> {
  try {
    mkdirSync(folder, { recursive: true });
    const files = findings.flatMap(({ what, test }) => {
      if (!test) return [];
      const file = join(folder, `${fileSlug(name)}-${fileSlug(what)}.json`);
      writeFileSync(file, `${printJson(test, "", 2)}\n`);
      return [file];
    });
    return ok(files);
  } catch (thrown) {
    return failWith("write_failed", "--out", `the tests cannot be written: ${errorText(thrown)}`);
  }
}

function fileSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
}
