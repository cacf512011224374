import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers, type Catalog } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import type { TargetRef } from "../../src/core/command/command.ts";
import { parseText } from "../../src/core/command/parse.ts";
import { compileTargets, type CompiledChain } from "../../src/core/compile/targets/compile.ts";
import { type Result, pathText } from "../../src/core/model/issue.ts";
import type { TestConfig } from "./play.ts";

/** A user's file over what is bundled. */
export function catalogWith(config: TestConfig = {}): Catalog {
  return mergeLayers([bundledLayer(), readLayer("explicit", config, "test.json")]);
}

/** The targets as they are typed between `link` and `--`. */
export function refsOf(targets: string): readonly TargetRef[] {
  const parsed = parseText(`link ${targets} -- x`);
  if (!parsed.ok || parsed.value.command.kind !== "link") throw new Error(JSON.stringify(parsed));
  return parsed.value.command.targets;
}

export function link(targets: string, config: TestConfig = {}): Result<CompiledChain> {
  return compileTargets(refsOf(targets), catalogWith(config));
}

export function linked(targets: string, config: TestConfig = {}): CompiledChain {
  const result = link(targets, config);
  if (!result.ok)
    throw new Error(result.issues.map((issue) => `${issue.code} ${pathText(issue.path)}: ${issue.message}`).join("\n"));
  return result.value;
}

/** Every way of the graph as `from when → to`, exits as `from exit when → to`. */
export function waysOf({ graph }: CompiledChain): readonly string[] {
  const edges = Object.values(graph.sockets).flatMap((socket) =>
    socket.edges.map(({ when, to, maxTraversals }) => {
      return `${socket.id} ${when} → ${to}${maxTraversals === undefined ? "" : ` x${maxTraversals}`}`;
    }),
  );
  const exits = Object.values(graph.loops).flatMap((loop) =>
    loop.exits.map(({ from, condition, targetSocketId }) => `${from} exit ${condition} → ${targetSocketId}`),
  );
  return [...edges, ...exits];
}
