import * as v from "valibot";
import { Budget, LAYER_NAMES, Limits, WorktreeConfig } from "../model/config.ts";

const layeredText = v.object({ value: v.string(), layer: v.picklist(LAYER_NAMES), file: v.exactOptional(v.string()) });
export type LayeredText = v.InferOutput<typeof layeredText>;

/** [N20] The effective settings, as the page gets them. */
export const Settings = v.object({
  artifactDir: layeredText,
  activeLoadout: layeredText,
  /** The model of agents whose materia names none; null leaves the choice to Pi. */
  model: v.nullable(v.string()),
  budget: Budget,
  limits: v.required(Limits, ["maxNoAdvanceCycles", "maxRepairs", "agentSilenceMs"]),
  checkpoints: v.boolean(),
  notify: v.boolean(),
  worktree: WorktreeConfig,
});
export type Settings = Readonly<v.InferOutput<typeof Settings>>;

export const DEFAULT_LIMITS: Settings["limits"] = {
  maxNoAdvanceCycles: 3,
  maxRepairs: 1,
  agentSilenceMs: 900_000,
};
