import * as v from "valibot";
import type { Settings } from "../catalog/catalog.ts";
import { Budget, LAYER_NAMES, Limits, WorktreeConfig } from "../model/config.ts";
import { isJsonObject } from "../model/json.ts";
import { Loadout } from "../model/loadout.ts";
import { Materia } from "../model/materia.ts";
import { IssueSchema } from "./response.ts";

const layer = v.picklist(LAYER_NAMES);
const setting = v.object({ value: v.string(), layer, file: v.exactOptional(v.string()) });

const SettingsSchema = v.object({
  artifactDir: setting,
  activeLoadout: setting,
  model: v.nullable(v.string()),
  budget: Budget,
  limits: v.required(Limits, ["maxNoAdvanceCycles", "maxRepairs", "agentSilenceMs"]),
  checkpoints: v.boolean(),
  notify: v.boolean(),
  worktree: WorktreeConfig,
}) satisfies v.GenericSchema<unknown, Settings>;

/** A materia or loadout of the merged catalogue, with its layer; a broken one has no value. */
const catalogEntrySchema = <const T extends v.GenericSchema>(value: T) =>
  v.object({
    name: v.string(),
    layer,
    file: v.nullable(v.string()),
    value: v.nullable(value),
    /** The readable part of a broken one, so that the page finds the same problems as the command line. */
    partial: v.exactOptional(v.custom<v.InferOutput<T>>(isJsonObject)),
    issues: v.array(IssueSchema),
  });

/** [N20] All materia and loadouts with their layers. */
export const CatalogResponse = v.object({
  version: v.string(),
  cwd: v.string(),
  root: v.string(),
  /** [B26] The fleet that has the casts; null for casts on this machine. */
  fleet: v.nullable(v.string()),
  settings: SettingsSchema,
  materia: v.array(catalogEntrySchema(Materia)),
  loadouts: v.array(catalogEntrySchema(Loadout)),
  issues: v.array(IssueSchema),
  configFiles: v.array(v.string()),
  /** The files that the page may edit. */
  layers: v.object({ user: v.string(), project: v.string() }),
  trust: v.variant("given", [
    v.object({ given: v.literal(true) }),
    v.object({
      given: v.literal(false),
      file: v.string(),
      commands: v.array(v.string()),
      /** Files and folders of the project that the configuration names, and those too large to watch. */
      watched: v.array(v.string()),
      tooLarge: v.array(v.string()),
      /** The digest of everything shown; null if trust cannot be stored. */
      digest: v.nullable(v.string()),
    }),
  ]),
});
export type CatalogResponse = v.InferOutput<typeof CatalogResponse>;

export const EditableLayer = v.picklist(["user", "project"]);
export type EditableLayer = v.InferOutput<typeof EditableLayer>;

/** [N21] A configuration file: its text, its value, and the tag that a save must name. */
export const ConfigResponse = v.object({
  layer: EditableLayer,
  file: v.string(),
  text: v.string(),
  etag: v.string(),
  /** The value of the text; null if it is no JSON. */
  value: v.unknown(),
  issues: v.array(IssueSchema),
});
export type ConfigResponse = v.InferOutput<typeof ConfigResponse>;

/** [N35] Trust in exactly the shown content. */
export const TrustRequest = v.strictObject({ digest: v.string() });
export type TrustRequest = v.InferInput<typeof TrustRequest>;

/** [N22] The text to write. */
export const SaveConfigRequest = v.strictObject({ text: v.string() });
export type SaveConfigRequest = v.InferInput<typeof SaveConfigRequest>;
