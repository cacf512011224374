import { useMemo, useState, type ReactElement } from "react";
import {
  mergeJson,
  findMergeDifferences,
  type MergeDifference,
  updateJsonText,
  parseJsonc,
} from "../../../core/edit/json-edit.ts";
import type { Json } from "../../../core/model/json.ts";
import { Button } from "../ui/buttons.tsx";
import { SegmentedControl } from "../ui/fields.tsx";
import { Icon } from "../ui/icons.tsx";
import { TextDiff } from "./diff.tsx";
import { bindSheets } from "../ui/classes.ts";
import saveSheet from "./save.module.css";

const css = bindSheets(saveSheet);

export interface FileConflictProps {
  /** The text when opened, in the file now (empty if removed), and of the draft. */
  readonly base: string | null;
  readonly theirs: string;
  readonly mine: string;
  readonly onKeep: () => void;
  readonly onTake?: (text: string) => void;
}

/** [E24] Both changes of an entry that changed in its file, place by place, and the choice between them. */
export function FileConflict(props: FileConflictProps): ReactElement {
  const { theirs, mine, onKeep, onTake } = props;
  const places = useMemo(() => findChanges(props), [props.base, theirs, mine]);
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const clashes = places?.filter(({ by }) => by === "both").length ?? 0;
  const both = (): void => {
    const raw = parseValue(mine);
    if (!places || raw === undefined) return;
    const merged = mergeJson(raw, places, (place) => taken.has(pathKey(place)));
    onTake?.(updateJsonText(mine, raw, merged));
  };
  return (
    <div className={css("conflict")} role="alert">
      <p className={css("note rework")}>
        <b>
          <Icon name="warning" /> This file changed since you opened it.
        </b>
        <br />
        {theirs === "" ? "The file no longer has it." : "The file has another version of it."}
        {clashes > 0 && ` In ${clashes === 1 ? "one place" : `${clashes} places`} both of you changed the same value.`}
      </p>
      {places ? (
        <ChangeTable
          places={places}
          taken={taken}
          onPick={(place, isTheirs) => {
            const next = new Set(taken);
            if (isTheirs) next.add(pathKey(place));
            else next.delete(pathKey(place));
            setTaken(next);
          }}
        />
      ) : (
        theirs !== "" && <TextDiff before={theirs} after={mine} label="Theirs and mine" />
      )}
      <div className={css("row wrap")}>
        {onTake && places && (
          <Button look="primary" onClick={both}>
            Take both
          </Button>
        )}
        {onTake && theirs !== "" && <Button onClick={() => onTake(theirs)}>Take theirs</Button>}
        <Button onClick={onKeep}>Keep mine</Button>
      </div>
    </div>
  );
}

function findChanges({ base, theirs, mine }: FileConflictProps): readonly MergeDifference[] | null {
  const [old, other, own] = [base === null ? undefined : parseValue(base), parseValue(theirs), parseValue(mine)];
  return other === undefined || own === undefined ? null : findMergeDifferences(old, own, other);
}

function parseValue(text: string): Json | undefined {
  const read = parseJsonc(text);
  return read.ok ? (read.value.value as Json) : undefined; // a JSON parser returns JSON
}

function pathKey({ path }: MergeDifference): string {
  return JSON.stringify(path);
}

function ChangeTable(props: {
  readonly places: readonly MergeDifference[];
  readonly taken: ReadonlySet<string>;
  readonly onPick: (place: MergeDifference, isTheirs: boolean) => void;
}): ReactElement {
  const { places, taken, onPick } = props;
  return (
    <div className={css("three-way")} role="region" aria-label="Before, theirs and mine" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Place</th>
            <th scope="col">Before</th>
            <th scope="col">Theirs</th>
            <th scope="col">Mine</th>
            <th scope="col">Stays</th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => {
            const isTheirs = place.by === "theirs" || (place.by === "both" && taken.has(pathKey(place)));
            const where = place.path.join(" › ") || "all of it";
            return (
              <tr key={pathKey(place)}>
                <th scope="row">{where}</th>
                <td>{valueText(place.base)}</td>
                <td className={css(isTheirs ? "stays" : "")}>{valueText(place.theirs)}</td>
                <td className={css(isTheirs ? "" : "stays")}>{valueText(place.mine)}</td>
                <td>
                  {place.by === "both" ? (
                    <SegmentedControl<"mine" | "theirs">
                      label={`Version of ${where} to use`}
                      value={isTheirs ? "theirs" : "mine"}
                      options={{ theirs: "theirs", mine: "mine" }}
                      onPick={(choice) => onPick(place, choice === "theirs")}
                    />
                  ) : (
                    place.by
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const MAX_VALUE_LENGTH = 400;

function valueText(value: Json | undefined): string {
  if (value === undefined) return "–";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** [E24] Shown at once, not only at the save. */
export function FileConflictBar(props: { readonly name: string; readonly onCompare: () => void }): ReactElement {
  const { name, onCompare } = props;
  return (
    <div className={css("outdated")} role="status">
      <Icon name="warning" />
      <span className={css("grow")}>{`${name} changed in its file while you edit it. Your changes are not lost.`}</span>
      <Button onClick={onCompare}>Compare and choose…</Button>
    </div>
  );
}
