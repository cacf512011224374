import { type KeyboardEvent, type ReactElement, Fragment } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { type TargetRef, targetText } from "../../../core/command/command.ts";
import {
  chainCommandText,
  type TargetChain,
  type ChainResult,
  type ChainJoint,
} from "../../../core/edit/target-chain.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { Select } from "../ui/fields.tsx";
import { Button } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { TargetField } from "./target-field.tsx";
import { moveTarget, removeTarget, setChain } from "./use-chain.ts";
import { bindSheets } from "../ui/classes.ts";
import edgesSheet from "../graph/edges.module.css";
import linkSheet from "./link.module.css";
import { toast } from "../ui/toasts.tsx";

const css = bindSheets(linkSheet, edgesSheet);

export function ChainPanel(props: {
  readonly catalog: Catalog;
  readonly chain: TargetChain;
  readonly composed: ChainResult;
}): ReactElement {
  const { catalog, chain, composed } = props;
  const { casts } = useCasts();
  const joints = composed.kind === "empty" ? [] : composed.joints;
  return (
    <div className={css("section chain")}>
      <div className={css("option")}>
        <span className={css("label")}>From a previous cast</span>
        <Select
          label="From a previous cast"
          value={chain.from ?? ""}
          options={[
            { value: "", label: "None" },
            ...casts
              .slice(0, 100)
              .map(({ castId, request }) => ({ value: castId, label: `${castId} · ${request.slice(0, 60)}` })),
          ]}
          onPick={(id) => setChain({ from: id === "" ? null : id }, "Choose a previous cast")}
        />
      </div>
      <div className={css("option")}>
        <span className={css("label")}>Targets, in order</span>
        {chain.targets.length === 0 && <p className={css("faint")}>No target yet. Add a materia or a loadout below.</p>}
        <ol aria-label="Targets">
          {chain.targets.map((target, index) => (
            // The index is part of the key: a target may repeat.
            <Fragment key={index}>
              <TargetItem target={target} index={index} catalog={catalog} faulty={isUnstitched(joints[index])} />
              {index < chain.targets.length - 1 && <JointRow joint={joints[index]} />}
            </Fragment>
          ))}
        </ol>
        <TargetField catalog={catalog} />
      </div>
      <label className={css("option")}>
        <span className={css("label")}>Request</span>
        <span className={css("field tall")}>
          <textarea
            rows={3}
            aria-label="Request"
            value={chain.request}
            onChange={(event) => setChain({ request: event.target.value }, "Write the request", "request")}
          />
        </span>
      </label>
      {chain.targets.length > 0 && (
        <div className={css("option")}>
          <span className={css("label")}>Command</span>
          <CopyableCommand text={`/materia ${chainCommandText(chain)}`} />
        </div>
      )}
    </div>
  );
}

export function isUnstitched(joint: ChainJoint | undefined): boolean {
  return joint !== undefined && joint.ends.length !== 1;
}

function TargetItem(props: {
  readonly target: TargetRef;
  readonly index: number;
  readonly catalog: Catalog;
  readonly faulty: boolean;
}): ReactElement {
  const { target, index, catalog, faulty } = props;
  const entry = target.kind === "loadout" ? catalog.loadouts.get(target.name) : catalog.materia.get(target.name);
  const sockets = Object.keys(catalog.loadouts.get(target.name)?.value?.sockets ?? {}).length;
  const facts = [
    target.kind,
    entry?.layer ?? "not known",
    ...(target.kind === "loadout" ? [`${sockets} sockets`] : []),
  ];
  return (
    <li
      data-target
      className={css(`target ${faulty ? "refused-end" : ""}`)}
      // One tab stop per target: Alt and arrow keys move it, Delete removes it.
      tabIndex={0}
      aria-label={`${index + 1}, ${targetText(target)}${faulty ? ", no stitch to the next" : ""}`}
      draggable
      onKeyDown={(event) => moveTargetByKey(event, index)}
      onDragStart={(event) => event.dataTransfer.setData("text/target", `${index}`)}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes("text/target")) event.preventDefault();
      }}
      onDrop={(event) => {
        const from = event.dataTransfer.getData("text/target");
        if (from !== "") moveTarget(Number(from), index);
      }}
    >
      <Icon name="grip" />
      <span className={css("target-order")} aria-hidden="true">
        {index + 1}
      </span>
      <div className={css("grow")}>
        <b className={css("breakable")}>{target.name}</b>
        <div className={css("faint")}>{facts.join(" · ")}</div>
      </div>
      <span className={css("row moves")}>
        <Button
          look="bare"
          icon="down"
          className={css("flipped")}
          label={`Move ${target.name} up`}
          off={index === 0 ? "It is the first" : null}
          onClick={() => moveTarget(index, index - 1)}
        />
        <Button look="bare" icon="bin" label={`Remove ${target.name}`} onClick={() => removeTarget(index)} />
      </span>
    </li>
  );
}

/** Alt and arrow keys move a target, Delete removes it; the focus follows. */
function moveTargetByKey(event: KeyboardEvent<HTMLLIElement>, index: number): void {
  const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0) : 0;
  const list = event.currentTarget.parentElement;
  const focus = (at: number): void => {
    requestAnimationFrame(() => list?.querySelectorAll<HTMLElement>("[data-target]")[at]?.focus());
  };
  if (by !== 0 && moveTarget(index, index + by)) focus(index + by);
  else if (event.key === "Delete") {
    removeTarget(index);
    focus(Math.max(0, index - 1));
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function JointRow({ joint }: { readonly joint: ChainJoint | undefined }): ReactElement {
  if (joint && joint.ends.length !== 1) {
    return (
      <li className={css("joint refused-end")}>
        <Icon name="cross" />
        {joint.ends.length === 0 ? "No stitch: it has no end" : `No stitch: ${joint.ends.length} ends`}
      </li>
    );
  }
  return (
    <li className={css("joint")}>
      <svg className={css("edges")} viewBox="0 0 10 20" aria-hidden="true">
        <g className={css("stitch")}>
          <path d="M5 0V20" />
          <path className={css("stitch-crosses")} d="M1 4l8 5M9 4l-8 5M1 11l8 5M9 11l-8 5" />
        </g>
      </svg>
      {joint?.byLoop === true ? "Stitches, when the loop is done" : "Stitches"}
    </li>
  );
}

/** A command with a copy button. */
export function CopyableCommand({ text }: { readonly text: string }): ReactElement {
  return (
    <div className={css("command-line")}>
      <code className={css("grow")}>{text}</code>
      <Button
        icon="copy"
        label="Copy command"
        onClick={() => {
          void navigator.clipboard.writeText(text);
          toast({ text: "The command is copied.", tone: "ok" });
        }}
      />
    </div>
  );
}
