import { useMemo, useState, type ReactElement } from "react";
import { mergeJson, mergedPlaces, type MergedPlace } from "../../../../../core/edit/merge.ts";
import { parseJsonc } from "../../../../../core/edit/text/parse.ts";
import { stepText } from "../../../../../core/edit/text/step.ts";
import type { Json } from "../../../../../core/model/values/json.ts";
import { Button } from "../../parts/controls/button.tsx";
import { Segments } from "../../parts/controls/fields.tsx";
import { Icon } from "../../parts/marks/icon.tsx";
import { Diff } from "./diff.tsx";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import saveSheet from "./save.module.css";

const css = classesOf(saveSheet, marksSheet, baseSheet);

export interface ConflictProps {
  /** As it was opened, as the file has it now (empty where it is gone), and as it is in hand. */
  readonly base: string | null;
  readonly theirs: string;
  readonly mine: string;
  readonly onKeep: () => void;
  /** Another text in place of mine. */
  readonly onTake?: (text: string) => void;
}

/** [E24] A file that changed meanwhile: what each has done to it, place by place, and what is to stay. */
export function Conflict(props: ConflictProps): ReactElement {
  const { theirs, mine, onKeep, onTake } = props;
  const places = useMemo(() => placesOf(props), [props.base, theirs, mine]);
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const clashes = places?.filter(({ by }) => by === "both").length ?? 0;
  const both = (): void => {
    const raw = valueOf(mine);
    if (!places || raw === undefined) return;
    onTake?.(
      stepText(
        mine,
        raw,
        mergeJson(raw, places, (place) => taken.has(keyOf(place))),
      ),
    );
  };
  return (
    <div className={css("conflict")} role="alert">
      <p className={css("note rework")}>
        <b>
          <Icon name="warning" /> This file changed since you opened it.
        </b>
        <br />
        {theirs === "" ? "What you opened is not in it any more." : "It holds another version of what you edit."}
        {clashes > 0 && ` In ${clashes === 1 ? "one place" : `${clashes} places`} both of you changed the same.`}
      </p>
      {places ? (
        <Places
          places={places}
          taken={taken}
          onPick={(place, isTheirs) => {
            const next = new Set(taken);
            if (isTheirs) next.add(keyOf(place));
            else next.delete(keyOf(place));
            setTaken(next);
          }}
        />
      ) : (
        theirs !== "" && <Diff before={theirs} after={mine} label="Theirs and mine" />
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

function placesOf({ base, theirs, mine }: ConflictProps): readonly MergedPlace[] | null {
  const [old, other, own] = [base === null ? undefined : valueOf(base), valueOf(theirs), valueOf(mine)];
  return other === undefined || own === undefined ? null : mergedPlaces(old, own, other);
}

/** What a text means; nothing where it is no JSON. */
function valueOf(text: string): Json | undefined {
  const read = parseJsonc(text);
  return read.ok ? (read.value.value as Json) : undefined; // what a JSON reader gives
}

function keyOf({ path }: MergedPlace): string {
  return JSON.stringify(path);
}

function Places(props: {
  readonly places: readonly MergedPlace[];
  readonly taken: ReadonlySet<string>;
  readonly onPick: (place: MergedPlace, isTheirs: boolean) => void;
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
            const isTheirs = place.by === "theirs" || (place.by === "both" && taken.has(keyOf(place)));
            const where = place.path.join(" › ") || "all of it";
            return (
              <tr key={keyOf(place)}>
                <th scope="row">{where}</th>
                <td>{shown(place.base)}</td>
                <td className={css(isTheirs ? "stays" : "")}>{shown(place.theirs)}</td>
                <td className={css(isTheirs ? "" : "stays")}>{shown(place.mine)}</td>
                <td>
                  {place.by === "both" ? (
                    <Segments<"mine" | "theirs">
                      label={`What stays of ${where}`}
                      value={isTheirs ? "theirs" : "mine"}
                      options={[
                        { value: "theirs", label: "theirs" },
                        { value: "mine", label: "mine" },
                      ]}
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

const SHOWN = 400;

function shown(value: Json | undefined): string {
  if (value === undefined) return "–";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
