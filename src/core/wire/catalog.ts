import * as v from "valibot";
import { Settings } from "../catalog/settings.ts";
import { LAYER_NAMES } from "../model/config.ts";
import { isJsonObject } from "../model/json.ts";
import { Loadout } from "../model/loadout.ts";
import { Materia } from "../model/materia.ts";
import { IssueSchema } from "./commands.ts";
import { wholeNumber } from "../model/schemas.ts";

const layer = v.picklist(LAYER_NAMES);
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
  settings: Settings,
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
      /** Skills, extensions, servers and sandboxes of agents. */
      equipment: v.array(v.string()),
      /** Files and folders of the project that the configuration names, and those too large to watch. */
      watched: v.array(v.string()),
      tooLarge: v.array(v.string()),
      /** The digest of everything shown; null if trust cannot be stored. */
      digest: v.nullable(v.string()),
    }),
  ]),
});
export type CatalogResponse = v.InferOutput<typeof CatalogResponse>;

/** [N38] The models that Pi has a key for, as `provider/id`. */
export const ModelsResponse = v.object({ models: v.array(v.string()) });
/** [YP15] What a materia may name of Pi and of the user's sandboxes. */
export const EquipmentResponse = v.object({
  skills: v.array(v.string()),
  extensions: v.array(v.string()),
  mcp: v.array(v.string()),
  sandboxes: v.array(v.string()),
});
export type EquipmentResponse = v.InferOutput<typeof EquipmentResponse>;
export type ModelsResponse = v.InferOutput<typeof ModelsResponse>;

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

/** [T36] The visits that a fork reuses, what that saves, and the visits that it runs again. */
export const ForkPreview = v.object({
  reused: v.array(v.string()),
  saved: v.object({ tokens: v.number(), cost: v.number() }),
  anew: v.array(v.object({ visit: v.string(), why: v.string() })),
});
export type ForkPreview = v.InferOutput<typeof ForkPreview>;

/** [T19] The test written from a cast. */
export const RecordedTest = v.object({ castId: v.string(), file: v.string(), seed: v.nullable(v.string()) });
export type RecordedTest = v.InferOutput<typeof RecordedTest>;

const Range = v.object({ p50: v.nullable(v.number()), p90: v.nullable(v.number()) });

/** [T23] The forecast of a cast. */
export const ForecastResponse = v.object({
  loadout: v.string(),
  casts: wholeNumber(0),
  items: v.number(),
  turns: v.object({ ...Range.entries, worst: v.nullable(v.number()) }),
  worstCase: v.string(),
  tokens: Range,
  cost: Range,
  seconds: Range,
  unknown: v.array(v.string()),
  otherModel: v.array(v.string()),
});
export type ForecastResponse = v.InferOutput<typeof ForecastResponse>;

/** [W31] The files that `test` runs, relative to the project. */
export const TestFilesResponse = v.object({ files: v.array(v.string()) });
export type TestFilesResponse = v.InferOutput<typeof TestFilesResponse>;

/** [T10] The results of tests, and the coverage of each loadout. */
export const TestsResponse = v.object({
  tests: v.array(
    v.object({
      file: v.string(),
      ok: v.boolean(),
      failures: v.array(
        v.object({
          what: v.string(),
          expected: v.optional(v.unknown()),
          got: v.optional(v.unknown()),
          where: v.string(),
        }),
      ),
    }),
  ),
  coverage: v.record(v.string(), v.object({ taken: wholeNumber(0), of: wholeNumber(0), missing: v.array(v.string()) })),
});
export type TestsResponse = v.InferOutput<typeof TestsResponse>;
