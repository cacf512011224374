import { useCallback, useEffect, useState } from "react";
import {
  entryText,
  withActiveLoadout,
  withEntry,
  withMateriaRenamed,
  type ConfigSection,
} from "../../../../../core/edit/text/file.ts";
import type { MateriaText } from "../../../../../core/edit/carry.ts";
import { ok, type Issue, type Result } from "../../../../../core/model/issue.ts";
import { getConfig, putConfig } from "../../net/api.ts";
import type { EditableLayer } from "../../../../../core/wire/catalog.ts";
import { loadCatalog } from "../../data/use-catalog.ts";
import { updateActiveLoadout } from "../../data/active-loadout.ts";
import { findTestsWithOldName, renameInOtherLayer } from "../../data/renamed-elsewhere.ts";

/** What is to be written: one named thing, and perhaps the name it had. */
export interface SaveRequest {
  readonly section: ConfigSection;
  readonly name: string;
  /** Null takes it out of the file. */
  readonly text: string | null;
  /** Its text in the file as it was opened; null where it was not there. */
  readonly filed: string | null;
  readonly was: string | null;
  /** [E16] Materia that came along; those that the file has already stay as they are. */
  readonly carriedMateria?: readonly MateriaText[];
}

export type SaveReview =
  | { readonly kind: "reading" }
  | { readonly kind: "failed"; readonly issues: readonly Issue[] }
  | {
      readonly kind: "ready";
      readonly file: string;
      readonly before: string;
      readonly after: string;
      readonly etag: string | null;
      /** What stands there now, where that is not what was opened; empty where it is gone. */
      readonly theirs: string | null;
    };

const NO_MATERIA: readonly MateriaText[] = [];

/** The difference that a save would make, against the file as it is now. */
export function useSaveReview(layer: EditableLayer, saving: SaveRequest) {
  const [review, setReview] = useState<SaveReview>({ kind: "reading" });
  const [busy, setBusy] = useState(false);
  const { section, name, text, filed, was, carriedMateria: brings = NO_MATERIA } = saving;
  const read = useCallback(async (): Promise<void> => {
    setReview(await loadReview(layer, { section, name, text, filed, was, carriedMateria: brings }));
  }, [layer, section, name, text, filed, was, brings]);
  useEffect(() => {
    void read();
  }, [read]);

  const save = async (): Promise<boolean> => {
    if (review.kind !== "ready") return false;
    setBusy(true);
    const written = await putConfig(layer, review.after, review.etag);
    setBusy(false);
    if (written.ok) {
      await loadCatalog();
      if (section === "loadouts") await updateActiveLoadout(was ?? name, text === null ? null : name);
      else if (was !== null) await renameInOtherLayer(layer, was, name);
      if (was !== null && layer === "project")
        void findTestsWithOldName({ kind: section === "loadouts" ? "loadout" : "materia", was, now: name });
      return true;
    }
    // Somebody wrote between reading and saving: the difference is shown anew, against what is there now.
    if (written.status === 412) await read();
    else setReview({ kind: "failed", issues: written.issues });
    return false;
  };
  return { review, busy, save, read };
}

async function loadReview(layer: EditableLayer, saving: SaveRequest): Promise<SaveReview> {
  const { section, name, text, filed, was } = saving;
  const answer = await getConfig(layer);
  if (!answer.ok && answer.status !== 404) return { kind: "failed", issues: answer.issues };
  const before = answer.ok ? answer.value.text : "";
  const cleared = was === null ? { ok: true as const, value: before } : withEntry(before, section, was, null);
  const written = cleared.ok ? withEntry(cleared.value, section, name, text) : cleared;
  const after = written.ok ? await withRelatedEntries(written.value, saving) : written;
  if (!after.ok) return { kind: "failed", issues: after.issues };
  const theirs = entryText(before, section, was ?? name) ?? null;
  const file = answer.ok ? answer.value.file : "";
  const etag = answer.ok ? answer.value.etag : null;
  const isChanged = theirs !== filed && theirs !== text;
  return { kind: "ready", file, before, after: after.value, etag, theirs: isChanged ? (theirs ?? "") : null };
}

/** What else of the file goes with it. */
async function withRelatedEntries(file: string, saving: SaveRequest): Promise<Result<string>> {
  const { section, name, was, carriedMateria: brings = [] } = saving;
  if (section === "materia") return was === null ? ok(file) : ok(withMateriaRenamed(file, was, name));
  const carried = brings
    .filter((each) => entryText(file, "materia", each.name) === undefined)
    .reduce<Result<string>>(
      (text, each) => (text.ok ? withEntry(text.value, "materia", each.name, each.text) : text),
      ok(file),
    );
  return carried.ok ? updateActiveLoadoutIn(carried.value, saving) : carried;
}

/** [E25] The file keeps naming an active loadout that is there. */
async function updateActiveLoadoutIn(file: string, { name, text, was }: SaveRequest): Promise<Result<string>> {
  if (text !== null) return was === null ? ok(file) : withActiveLoadout(file, was, name);
  const { bundledLayer } = await import("../../../../../core/catalog/bundled.ts");
  // A bundled one of the same name takes its place.
  return bundledLayer().loadouts.has(name) ? ok(file) : withActiveLoadout(file, name, null);
}
