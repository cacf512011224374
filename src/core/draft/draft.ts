import * as v from "valibot";
import type { CastStart } from "../cast/state/state.ts";
import { castStatus } from "../cast/summary.ts";
import { withLayer, type Catalog } from "../catalog/catalog.ts";
import { readLayer, type ConfigLayer } from "../catalog/layer.ts";
import { buildFlow } from "../compile/flow.ts";
import { type Graph, socketsOf } from "../compile/graph.ts";
import { checkTarget } from "../compile/targets/compile.ts";
import { findObject } from "../handoff/find-object.ts";
import { CastId } from "../model/ids.ts";
import { error, failWith, ok, type Issue, type Result } from "../model/issue.ts";
import { depthExceeds, isJsonObject, type JsonObject } from "../model/json.ts";
import { isGenerator, templateOf, toolMayWrite, toolsInScope, type Materia } from "../model/materia.ts";
import { oneLine } from "../model/text.ts";
import { fuzzGraph, fuzzSubject, runFuzzCast } from "../testing/fuzz.ts";

/** A proposed loadout with its new materia, in the form of a configuration file. */
export interface Draft {
  readonly name: string;
  readonly config: JsonObject;
}

/** [YD4] What an agent answered: a draft, or why there cannot be one. It need not repeat the new materia of the draft that it changes. */
export function readDraftReply(reply: string, from?: Draft): Result<Draft> {
  const object = findObject(reply)?.object;
  if (!object) return failWith("bad_draft", "", "the answer has no JSON object", "answer with one JSON object");
  const { cannot, nearest } = object;
  const hint = typeof nearest === "string" ? oneLine(nearest, 400) : undefined;
  if (typeof cannot === "string" && cannot.trim() !== "")
    return failWith("cannot_draft", "", oneLine(cannot, 400), hint);
  const draft = draftFromConfig(object);
  const { materia = {}, loadouts } = object;
  if (!draft.ok || !isJsonObject(materia)) return draft;
  const text = JSON.stringify(loadouts);
  const materiaBefore = Object.entries(isJsonObject(from?.config["materia"]) ? from.config["materia"] : {});
  const kept = materiaBefore.filter(([name]) => text.includes(`"materia":${JSON.stringify(name)}`));
  if (kept.length === 0) return draft;
  return ok({ ...draft.value, config: { ...object, materia: { ...Object.fromEntries(kept), ...materia } } });
}

export function draftFromConfig(object: JsonObject): Result<Draft> {
  if (depthExceeds(object, 100)) return failWith("bad_draft", "", "the draft is nested too deep", "leave the rest out");
  const [only, ...others] = isJsonObject(object["loadouts"]) ? Object.entries(object["loadouts"]) : [];
  if (!only || !isJsonObject(only[1]) || others.length > 0)
    return failWith("bad_draft", "loadouts", "a draft has exactly one loadout", '{ "loadouts": { "Name": { … } } }');
  return ok({ name: only[0], config: object });
}

export type DraftCheck = ReturnType<typeof checkDraft>;

/** [YD5] Every problem of a draft at once: those of `check`, where a warning counts too, and the rules of drafts. It may have the name of the loadout that it refines. */
export function checkDraft(catalog: Catalog, draft: Draft, refines?: string) {
  const layer = readLayer("explicit", draft.config);
  const whole = withLayer(catalog, layer);
  const entry = whole.loadouts.get(draft.name);
  if (!entry) throw new Error("a draft has its loadout");
  const checked = checkTarget({ kind: "loadout", name: draft.name, entry }, whole, 1);
  const own = [...layer.materia.keys()].flatMap((name) => whole.materia.get(name)?.issues ?? []);
  const ruled = ruleIssues({ catalog, draft, layer, graph: checked.graph, refines });
  const found = [...layer.issues, ...own, ...checked.issues, ...ruled];
  const issues = found.length > 0 ? found : proofIssues(whole, checked.graph);
  return { catalog: whole, graph: checked.graph, issues };
}

const MAX_TEXT = 2_000;

interface RuleContext {
  readonly catalog: Catalog;
  readonly draft: Draft;
  readonly layer: ConfigLayer;
  readonly graph: Graph;
  readonly refines: string | undefined;
}

/** [YD6] A draft never raises its own rights: no settings, nothing that exists redefined, narrow tools. */
function ruleIssues({ catalog, draft, layer, graph, refines }: RuleContext): readonly Issue[] {
  const refuse = (path: readonly string[], message: string, hint?: string): Issue =>
    error("bad_draft", path, message, hint);
  const settings = Object.keys(draft.config).filter((key) => key !== "materia" && key !== "loadouts");
  const used = new Set(socketsOf(graph).map(({ materia }) => materia));
  const isTaken = catalog.loadouts.has(draft.name) && refines !== draft.name;
  return [
    ...settings.map((key) => refuse([key], `a draft sets no "${oneLine(key, 60)}"`, "leave it out")),
    ...(isTaken ? [refuse(["loadouts", draft.name], "a loadout of this name exists", "choose another name")] : []),
    ...[...layer.materia.keys()].flatMap((name) => {
      const path = ["materia", name];
      if (catalog.materia.has(name))
        return [refuse(path, "a materia of this name exists", "leave it out to use it, or choose another name")];
      if (!used.has(name)) return [refuse(path, "no socket has this materia", "seat it, or leave it out")];
      // With what it extends.
      const materia = graph.materia[name];
      const found = materia ? materiaIssues(materia, judges(graph, name)) : [];
      return found.map(([message, hint]) => refuse(path, message, hint));
    }),
  ];
}

function judges(graph: Graph, materia: string): boolean {
  return socketsOf(graph).some(
    (socket) => socket.materia === materia && socket.edges.some(({ when }) => when !== "always"),
  );
}

function materiaIssues(materia: Materia, isJudge: boolean): readonly (readonly [message: string, hint: string])[] {
  const command = materia.type === "utility" ? materia.command?.join(" ") : undefined;
  const texts = [templateOf(materia)?.text, command, materia.description];
  const length = Math.max(...texts.map((text = "") => text.length));
  const tooLong = `its text has ${length} characters; the limit is ${MAX_TEXT}`;
  const isRaised = materia.type === "utility" && (materia.env !== undefined || materia.sandbox === "none");
  const tooWide = "a planner or judge needs no writing tools";
  const isWide =
    materia.type === "agent" && (isJudge || isGenerator(materia)) && toolsInScope(materia.tools).some(toolMayWrite);
  return [
    ...(length > MAX_TEXT ? [[tooLong, "say what to do in at most 150 words"] as const] : []),
    ...(isRaised ? [['a draft sets no "env" and no "sandbox": "none"', "leave them out"] as const] : []),
    ...(isWide ? [[tooWide, 'set "tools": "readOnly"; a gate runs commands'] as const] : []),
  ];
}

const PROOF = { casts: 200, seed: 1, items: 3 };

/** [YD7] Faults that made-up casts show: no end, a limit that most of them hit, a socket that none reaches, no success. */
function proofIssues(catalog: Catalog, graph: Graph): readonly Issue[] {
  const start: CastStart = {
    castId: v.parse(CastId, "draft"),
    request: "",
    graph,
    limits: catalog.settings.limits,
    budget: {},
    data: {},
  };
  const subject = fuzzSubject(start, buildFlow(graph));
  const { findings, missing, casts } = fuzzGraph(subject, PROOF);
  const { cast } = runFuzzCast(subject, () => ({ satisfied: true, items: 2 }));
  const outcome = cast ? castStatus(cast.state, false) : "broken";
  const report = (message: string, hint: string): Issue =>
    error("unproven_draft", ["loadouts", graph.name], message, hint);
  return [
    ...findings
      .filter(({ fault, casts: count, what }) => fault || (count > casts / 2 && what.startsWith("limit ")))
      .map(({ what, casts: count }) =>
        report(`${count} of ${casts} made-up casts: ${what}`, 'lead the way elsewhere: "maxTraversals" with "then"'),
      ),
    ...missing
      .filter((name) => Object.hasOwn(graph.sockets, name))
      .map((socket) => report(`no made-up cast reached ${socket}`, "lead an edge there, or remove it")),
    ...(outcome === "completed"
      ? []
      : [report(`${SATISFIED_CAST} ends ${outcome}`, "lead satisfied answers to the end")]),
  ];
}

const SATISFIED_CAST = "a made-up cast in which everybody is satisfied";
