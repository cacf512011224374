import { Fragment, type KeyboardEvent, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { targetText, type TargetRef } from "../../../core/command/command.ts";
import type { ChainJoint, ChainResult, TargetChain } from "../../../core/edit/target-chain.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { bindSheets } from "../ui/classes.ts";
import { Select } from "../ui/fields.tsx";
import sheet from "./new-cast.module.css";

const css = bindSheets(sheet);

type ChainPart = Pick<TargetChain, "targets" | "from">;

export function CastTargets(props: {
  readonly catalog: Catalog;
  readonly chain: ChainPart;
  readonly composed: ChainResult;
  readonly onChange: (part: Partial<ChainPart>) => void;
}): ReactElement {
  const { catalog, chain, composed, onChange } = props;
  const { targets } = chain;
  const move = (index: number, to: number): boolean => {
    const target = targets[index];
    if (!target || to < 0 || to >= targets.length) return false;
    onChange({ targets: targets.toSpliced(index, 1).toSpliced(to, 0, target) });
    return true;
  };
  return (
    <>
      <div className={css("option")}>
        <span className={css("label")}>{targets.length > 1 ? "Targets, in order" : "Loadout"}</span>
        <ol aria-label="Targets">
          {targets.map((target, index) => (
            // The index is the key: a target may repeat.
            <Fragment key={index}>
              <li data-target className={css("target")} onKeyDown={(event) => moveByKey(event, index, move)}>
                <TargetSelect
                  catalog={catalog}
                  label={targets.length > 1 ? `Target ${index + 1}` : "Loadout"}
                  target={target}
                  onPick={(next) => onChange({ targets: targets.with(index, next) })}
                />
                {targets.length > 1 && (
                  <>
                    <Button
                      look="bare"
                      icon="up"
                      label={`Move ${target.name} up`}
                      off={index === 0 ? "It is the first" : null}
                      onClick={() => move(index, index - 1)}
                    />
                    <Button
                      look="bare"
                      icon="bin"
                      label={`Remove ${target.name}`}
                      onClick={() => onChange({ targets: targets.toSpliced(index, 1) })}
                    />
                  </>
                )}
              </li>
              {index < targets.length - 1 && <JointRow composed={composed} index={index} />}
            </Fragment>
          ))}
        </ol>
        <div>
          <Button icon="plus" onClick={() => onChange({ targets: [...targets, nextTarget(catalog)] })}>
            Join another
          </Button>
        </div>
      </div>
      <PreviousCastField chain={chain} onPick={(from) => onChange({ from })} />
    </>
  );
}

/** A chain mostly ends with a report. */
function nextTarget({ materia, loadouts }: Catalog): TargetRef {
  if (materia.has("Narrate")) return { kind: "materia", name: "Narrate" };
  return { kind: "loadout", name: loadouts.keys().next().value ?? "" };
}

function TargetSelect(props: {
  readonly catalog: Catalog;
  readonly label: string;
  readonly target: TargetRef;
  readonly onPick: (target: TargetRef) => void;
}): ReactElement {
  const { catalog, label, target, onPick } = props;
  const groups = [
    { kind: "loadout", title: "Loadouts", names: catalog.loadouts.keys() },
    { kind: "materia", title: "Materia", names: catalog.materia.keys() },
  ];
  return (
    <span className={css("picker")}>
      <select
        aria-label={label}
        value={targetText(target)}
        onChange={({ target: { value } }) => {
          const [kind = "", ...name] = value.split(":");
          onPick({ kind: kind === "materia" ? "materia" : "loadout", name: name.join(":") });
        }}
      >
        {groups.map(({ kind, title, names }) => (
          <optgroup key={kind} label={title}>
            {[...names].map((name) => (
              <option key={name} value={`${kind}:${name}`}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}

/** [L10] The state and context of an earlier cast go into this one. */
function PreviousCastField(props: {
  readonly chain: ChainPart;
  readonly onPick: (castId: string | null) => void;
}): ReactElement | null {
  const { casts } = useCasts();
  const { targets, from } = props.chain;
  if (targets.length === 1 && from === null) return null;
  return (
    <div className={css("option")}>
      <span className={css("label")}>Continue from a cast (optional)</span>
      <Select
        label="Continue from a cast"
        value={from ?? ""}
        options={[
          { value: "", label: "None" },
          ...casts.slice(0, 100).map(({ castId, request }) => ({
            value: castId,
            label: `${request.slice(0, 60)} · ${castId}`,
          })),
        ]}
        onPick={(id) => props.onPick(id || null)}
      />
    </div>
  );
}

/** Alt and arrow keys move a target; the focus follows. */
function moveByKey(
  event: KeyboardEvent<HTMLLIElement>,
  index: number,
  move: (index: number, to: number) => boolean,
): void {
  const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0) : 0;
  if (by === 0) return;
  event.preventDefault();
  const list = event.currentTarget.parentElement;
  if (move(index, index + by))
    requestAnimationFrame(() => list?.querySelectorAll<HTMLElement>("[data-target] select")[index + by]?.focus());
}

export function isUnstitched(joint: ChainJoint | undefined): boolean {
  return joint !== undefined && joint.ends.length !== 1;
}

function JointRow({ composed, index }: { readonly composed: ChainResult; readonly index: number }): ReactElement {
  const joint = composed.kind === "empty" ? undefined : composed.joints[index];
  const text = isUnstitched(joint)
    ? `cannot be joined: ${joint?.ends.length === 0 ? "no end" : `${joint?.ends.length ?? 0} ends`}`
    : joint?.byLoop === true
      ? "then, when the loop is done"
      : "then";
  return <li className={css(isUnstitched(joint) ? "joint refused-end" : "joint")}>{text}</li>;
}
