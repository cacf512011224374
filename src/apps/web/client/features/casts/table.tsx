import { Fragment } from "react";
import type { ReactElement } from "react";
import type { CastSummary } from "../../../../../core/view/casts.ts";
import { ageText, amountText, costText, millisOf } from "../../../../../core/view/numbers.ts";
import type { CastGroup } from "../../../../../core/view/watch/groups.ts";
import { Button } from "../../parts/controls/button.tsx";
import { Cells } from "../../parts/marks/cells.tsx";
import { Status } from "../../parts/marks/status.tsx";
import { glyphs } from "../../parts/marks/words.tsx";
import { hrefOf } from "../../browser/route.ts";
import { useWidth } from "../../browser/use-width.ts";
import type { CastAction } from "./page.tsx";

export interface CastListProps {
  readonly groups: readonly CastGroup[];
  readonly now: number;
  readonly onAct: (cast: CastSummary, action: CastAction) => void;
  /** The command that is under way. */
  readonly busy: string | null;
}

export function CastTable({ groups, now, onAct, busy }: CastListProps): ReactElement {
  // Below 1100 pixels id and tokens are left out, and the loadout stands below the request.
  const columns = useWidth() === "large" ? 9 : 6;
  return (
    <table>
      <caption className="sr">Casts</caption>
      <thead>
        <tr>
          <th className="c-status">Status</th>
          <th>Request</th>
          <th className="c-id hide-m">Cast</th>
          <th className="c-loadout hide-m">Loadout</th>
          <th className="c-items">Items done</th>
          <th className="c-num num hide-m">Tokens</th>
          <th className="c-num num">Cost</th>
          <th className="c-num num">Age</th>
          <th className="c-act">
            <span className="sr">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ title, casts }) => (
          <Fragment key={title}>
            <tr className="grp">
              <th colSpan={columns} scope="colgroup">
                {title} <span className="mute">{casts.length}</span>
              </th>
            </tr>
            {casts.map((cast) => (
              <CastRow key={cast.castId} cast={cast} now={now} onAct={onAct} busy={busy} />
            ))}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

function CastRow({
  cast,
  now,
  onAct,
  busy,
}: Omit<CastListProps, "groups"> & { readonly cast: CastSummary }): ReactElement {
  return (
    <tr className="c">
      <td>
        <Status status={cast.status} />
      </td>
      <td className="c-req">
        <a className="req cut" href={hrefOf("casts", cast.castId)} data-cast={cast.castId}>
          {cast.request}
        </a>
        <span className="c-under sub cut">{glyphs(cast.loadout)}</span>
      </td>
      <td className="hide-m">
        <code className="mute">{cast.castId}</code>
      </td>
      <td className="sub cut hide-m">{glyphs(cast.loadout)}</td>
      <td>
        <ItemsDone cast={cast} />
      </td>
      <td className="num sub hide-m" title={`${cast.tokens} tokens`}>
        {amountText(cast.tokens)}
      </td>
      <td className="num">{costText(cast.cost)}</td>
      <td className="num sub" title={new Date(cast.startedAt).toLocaleString()}>
        {ageText(now - millisOf(cast.startedAt, now))}
      </td>
      <td className="num">
        <NextAction cast={cast} onAct={onAct} busy={busy} />
      </td>
    </tr>
  );
}

export function ItemsDone({ cast }: { readonly cast: CastSummary }): ReactElement {
  const { done, total } = cast.items;
  if (total === 0) return <span className="mute">no items</span>;
  const current = cast.status === "failed" ? "failed" : "current";
  const ended = cast.status === "completed" || cast.status === "not_satisfied";
  return (
    <span className="nowrap">
      <Cells items={{ done, size: total, reworked: [], ...(ended ? {} : { current }) }} />{" "}
      <span className="sub">{`${done} of ${total}`}</span>
    </span>
  );
}

/** What to do next, where there is something. */
export function NextAction(
  props: Pick<CastListProps, "onAct" | "busy"> & { readonly cast: CastSummary },
): ReactElement | null {
  const { cast, onAct, busy } = props;
  const [action, label] = actionOf(cast);
  if (action === null) return null;
  return (
    <Button
      onClick={() => onAct(cast, action)}
      busy={busy?.endsWith(cast.castId) ?? false}
      aria-label={`${label} ${cast.request}`}
    >
      {label}
    </Button>
  );
}

export function actionOf({ status }: CastSummary): readonly [CastAction | null, string] {
  switch (status) {
    case "waiting":
      return ["continue", "Continue…"];
    case "failed":
      return ["raise", "Resume…"];
    case "interrupted":
    case "aborted":
      return ["resume", "Resume"];
    case "running":
      return ["abort", "Abort…"];
    case "completed":
    case "not_satisfied":
      return [null, ""];
  }
}
