import type { ReactElement } from "react";
import { ageText, costText, millisOf } from "../../../../../core/view/numbers.ts";
import { Status } from "../../parts/marks/status.tsx";
import { hrefOf } from "../../browser/route.ts";
import { ItemsDone, NextAction } from "./table.tsx";
import type { CastListProps } from "./table.tsx";

/** The same facts as the table, one card each. */
export function CastCards({ groups, now, onAct, busy }: CastListProps): ReactElement {
  return (
    <div className="cards">
      {groups.map(({ title, casts }) => (
        <section key={title} aria-label={title}>
          <h2 className="sub">
            {title} <span className="mute">{casts.length}</span>
          </h2>
          <ul>
            {casts.map((cast) => (
              <li key={cast.castId} className="cc">
                <span className="row">
                  <Status status={cast.status} />
                  <span className="grow" />
                  <span className="mute">{ageText(now - millisOf(cast.startedAt, now))}</span>
                </span>
                <a className="req" href={hrefOf("casts", cast.castId)} data-cast={cast.castId}>
                  {cast.request}
                </a>
                <span className="row wrap sub">
                  {cast.loadout}
                  <span className="grow" />
                  <ItemsDone cast={cast} />
                  <b>{costText(cast.cost)}</b>
                </span>
                <NextAction cast={cast} onAct={onAct} busy={busy} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
