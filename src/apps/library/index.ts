/** pi-materia as a library: read a configuration, compile and check it, and run a cast with your own agents and store. The command line, the Pi extension and the web UI use the same functions. */

// Configuration → catalog
export { bundledLayer } from "../../core/catalog/bundled-layer.ts";
export { mergeLayers } from "../../core/catalog/catalog.ts";
export type { Catalog } from "../../core/catalog/catalog.ts";
export { readLayer } from "../../core/catalog/layer.ts";
export type { CatalogEntry, ConfigLayer } from "../../core/catalog/layer.ts";

// Text → command → graph
export { parseArgv, parseText } from "../../core/command/parse.ts";
export type { Command, TargetRef } from "../../core/command/command.ts";
export { checkTarget, compileTargets } from "../../core/compile/targets/compile.ts";
export type { CompiledChain } from "../../core/compile/targets/compile.ts";
export type { Graph, GraphLoop, GraphSocket } from "../../core/compile/graph.ts";
export { buildFlow } from "../../core/compile/flow.ts";
export { worstCase } from "../../core/compile/worst-case.ts";
export { evaluateFormula } from "../../core/compile/worst-case.ts";
export type { TurnFormula } from "../../core/compile/worst-case.ts";

// Graph → cast
export { apply } from "../../core/cast/apply.ts";
export { next } from "../../core/cast/next.ts";
export { decide } from "../../core/cast/decide.ts";
export { initialState } from "../../core/cast/state/initial-state.ts";
export type { CastStart, CastState } from "../../core/cast/state/state.ts";
export { parseEvent } from "../../core/cast/state/parse-event.ts";
export type { CastStep } from "../../core/cast/timeline.ts";
export type { CastEvent, EventBody } from "../../core/cast/state/event.ts";
export { runCast } from "../../shell/run/run-cast.ts";

// Ports that a cast needs, and the implementations that come along
export type {
  AgentHost,
  Artifacts,
  Journal,
  Ports,
  TurnOutcome,
  TurnRequest,
  UtilityOutcome,
  UtilityRequest,
} from "../../shell/ports.ts";
export { createPiHost } from "../../shell/agents/pi-host.ts";
export { createRehearsalHost } from "../../shell/agents/rehearsal-host.ts";
export { runUtility } from "../../shell/run/run-utility.ts";

// Stores
export type { CastStore, LoadedCast, NewCast, OwnedCast } from "../../shell/store/cast-store.ts";
export { fileStore } from "../../shell/store/files/file-store.ts";
export { planCast, startCast } from "../../shell/casting/start-cast.ts";
export type { NewCastDetails } from "../../shell/casting/start-cast.ts";
export { resumeCast } from "../../shell/casting/resume-cast.ts";
export type { ResumePlan, Resumption } from "../../shell/casting/resume-cast.ts";
export type { RunContext, RunOptions, RunOutcome } from "../../shell/context/run-context.ts";

// Views
export { gridLines } from "../../core/view/graph/terminal-grid.ts";
export { mermaidText } from "../../core/view/graph/export.ts";
export { storyLines } from "../../core/view/report/story.ts";
export { worstCaseText } from "../../core/view/graph/worst-case-text.ts";
export { plainText } from "../../core/view/line.ts";

// Texts for issues
export type { Issue, Result } from "../../core/model/issue.ts";
export { parseCastId } from "../../core/model/ids.ts";
