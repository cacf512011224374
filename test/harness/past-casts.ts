import { join } from "node:path";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { answerEvent, type SimulatedAnswer, simulateCast } from "../../src/core/cast/simulate.ts";
import { planCast } from "../../src/shell/casting/start-cast.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { catalogOf, type TestConfig } from "./play.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

export interface PastCast {
  readonly loadout?: string;
  /** What the nth answer is; yes and one item where it does not say. */
  readonly choose?: (at: number) => Partial<SimulatedAnswer>;
  /** What each turn used. */
  readonly usage?: { readonly input: number; readonly output: number; readonly cost: number };
  readonly model?: string;
}

/** A cast as one with a model leaves it, written as any is: history without paying for it. */
export async function writePastCast(cwd: string, config: TestConfig, past: PastCast = {}): Promise<string> {
  const catalog = catalogOf(config);
  const compiled = compileTargets([{ kind: "loadout", name: past.loadout ?? "Main" }], catalog);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  const { graph, targets } = compiled.value;
  const { file } = planCast(graph, {
    request: "x",
    cwd,
    limits: catalog.settings.limits,
    targets: targets.map(({ kind, name, entry }) => ({ kind, name, layer: entry.layer, file: null })),
    model: past.model ?? null,
  });
  let answers = 0;
  const { events } = simulateCast(
    castStartOf(file),
    (asked, state) => {
      const body = answerEvent({ satisfied: true, items: 1, ...past.choose?.(answers++) }, asked, state);
      return "usage" in body && past.usage && asked.kind === "agent" ? { ...body, usage: past.usage } : body;
    },
    1_000,
  );
  const owned = await fileStore(join(cwd, ".pi/pi-materia")).create({ file }, {});
  if (!owned.ok) throw new Error(JSON.stringify(owned.issues));
  await owned.value.journal.append(events, initialState(castStartOf(file)).seq);
  await owned.value.release();
  return file.castId;
}
