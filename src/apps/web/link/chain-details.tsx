import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { TargetRef } from "../../../core/command/command.ts";
import { socketOrigins, type CompiledChain } from "../../../core/compile/targets/compile.ts";
import { socketsOf } from "../../../core/compile/graph.ts";
import { worstCase } from "../../../core/compile/worst-case.ts";
import { chainCommandText, type TargetChain, type ChainResult } from "../../../core/edit/target-chain.ts";
import { destinationText } from "../../../core/view/graph/labels.ts";
import { worstCaseExample, worstCaseText } from "../../../core/view/graph/worst-case-text.ts";
import { capitalize } from "../ui/status.tsx";
import { Button } from "../ui/buttons.tsx";
import { hrefOf } from "../browser/route.ts";
import { isUnstitched, CopyableCommand } from "./chain-panel.tsx";
import { bindSheets } from "../ui/classes.ts";
import linkSheet from "./link.module.css";

const css = bindSheets(linkSheet);

/** The stitches of the chain, or the reasons of its refusal. */
export function ChainDetails(props: {
  readonly composed: ChainResult;
  readonly chain: TargetChain;
  readonly catalog: Catalog;
}): ReactElement {
  const { composed, chain, catalog } = props;
  if (composed.kind === "empty") {
    return (
      <>
        <div className={css("panel-head")}>
          <h2>How a link works</h2>
        </div>
        <div className={css("section")}>
          <p>Targets run one after another as one cast. Where one ends, the next begins: that is a stitch.</p>
          <p className={css("faint")}>
            A target with several ends is refused: the link cannot know which end leads on.
          </p>
        </div>
      </>
    );
  }
  return composed.kind === "composed" ? (
    <ComposedDetails compiled={composed.compiled} catalog={catalog} />
  ) : (
    <RefusedDetails composed={composed} chain={chain} />
  );
}

function ComposedDetails({
  compiled,
  catalog,
}: {
  readonly compiled: CompiledChain;
  readonly catalog: Catalog;
}): ReactElement {
  const { graph, flow, stitches, warnings } = compiled;
  const worst = worstCase(graph, flow, catalog.settings.limits);
  const waits = socketsOf(graph).filter(({ interactive }) => interactive);
  const example = worstCaseExample(worst);
  return (
    <div className={css("scrolls")}>
      {stitches.length > 0 && <StitchDetails compiled={compiled} />}
      <div className={css("panel-head")}>
        <h2>Worst case</h2>
      </div>
      <div className={css("section")}>
        <div>
          {capitalize(worstCaseText(graph, worst))}
          {example === null ? "" : ` · ${example}`}
        </div>
        {waits.map((socket) => (
          <p
            key={socket.id}
            className={css("note waiting-tone")}
          >{`${socket.id} is interactive: the cast waits for you there.`}</p>
        ))}
        {warnings.map(({ message, path, code }) => (
          <p key={`${code} ${path.join(".")} ${message}`} className={css("note rework")}>
            {message}.
          </p>
        ))}
      </div>
    </div>
  );
}

function StitchDetails({ compiled: { graph, stitches } }: { readonly compiled: CompiledChain }): ReactElement {
  return (
    <>
      <div className={css("panel-head")}>
        <h2>Sockets renumbered</h2>
      </div>
      <table className={css("figures-table")}>
        <thead>
          <tr>
            <th>From</th>
            <th>Becomes</th>
          </tr>
        </thead>
        <tbody>
          {socketOrigins(graph).map(({ socket, name, source }) => (
            <tr key={socket}>
              <td>{`${name} ${source}`}</td>
              <td>{socket}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className={css("panel-head")}>
        <h2>Stitches</h2>
      </div>
      <ol className={css("section")}>
        {stitches.map(({ from, to, reason }, index) => (
          <li key={`${from} ${to}`}>
            <b>{index + 1}</b> {`${destinationText(graph, from)} → ${destinationText(graph, to)}`}
            <div className={css("faint")}>{reason}.</div>
          </li>
        ))}
      </ol>
    </>
  );
}

function RefusedDetails({
  composed,
  chain,
}: {
  readonly composed: Extract<ChainResult, { kind: "refused" }>;
  readonly chain: TargetChain;
}): ReactElement {
  const at = composed.joints.findIndex(isUnstitched);
  const joint = composed.joints[at];
  const [left, right] = [chain.targets[at], chain.targets[at + 1]];
  return (
    <div className={css("scrolls")}>
      <div className={css("panel-head")}>
        <h2>Why it was refused</h2>
      </div>
      <div className={css("section")}>
        {composed.issues.map(({ code, path, message, hint }) => (
          <div key={`${code} ${path.join(".")} ${message}`} className={css("note bad")}>
            {joint && code === "ambiguous_terminal" && <b>{`${joint.ends.length} ends, one entry.`}</b>}
            <div>{message}.</div>
            {hint !== undefined && <div className={css("secondary")}>{hint}.</div>}
          </div>
        ))}
        {joint && left && right && (
          <dl className={css("facts-list")}>
            <dt>{`Ends of ${left.name}`}</dt>
            <dd>{joint.ends.join(", ") || "none"}</dd>
            <dt>{`Entry of ${right.name}`}</dt>
            <dd>{joint.entry}</dd>
            <dt>Cast started</dt>
            <dd>no</dd>
          </dl>
        )}
      </div>
      {joint && left && <SuggestedFixes chain={chain} at={at} left={left} />}
    </div>
  );
}

function SuggestedFixes(props: {
  readonly chain: TargetChain;
  readonly at: number;
  readonly left: TargetRef;
}): ReactElement {
  const { chain, at, left } = props;
  const [isSplit, setSplit] = useState(false);
  const half = (targets: TargetChain["targets"], from: string | null): string =>
    `/materia ${chainCommandText({ ...chain, targets, from })}`;
  return (
    <>
      <div className={css("panel-head")}>
        <h2>Ways out</h2>
      </div>
      <div className={css("section")}>
        <div>{`Give ${left.name} one last socket that all its edges lead to.`}</div>
        <a
          className={css("control-button")}
          href={hrefOf(left.kind === "materia" ? "materia" : "loadouts", left.name)}
        >{`Edit ${left.name}`}</a>
        <div>
          Or run two casts: the second with <code>--from</code> the first.
        </div>
        <Button aria-pressed={isSplit} onClick={() => setSplit(!isSplit)}>
          Split into two commands
        </Button>
        {isSplit && (
          <>
            <CopyableCommand text={half(chain.targets.slice(0, at + 1), chain.from)} />
            <CopyableCommand text={half(chain.targets.slice(at + 1), "<castId>")} />
          </>
        )}
        <div className={css("faint")}>Choosing the sockets of a stitch by hand is not available yet.</div>
      </div>
    </>
  );
}
