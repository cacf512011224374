import type { ReactElement } from "react";
import { ageText, costText, millisOf } from "../../../../../core/view/numbers.ts";
import { Status } from "../../parts/marks/status.tsx";
import { hrefOf } from "../../browser/route.ts";
import { ItemsDone, NextAction } from "./table.tsx";
import type { CastListProps } from "./table.tsx";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import castsSheet from "./casts.module.css";

const css = classesOf(castsSheet, baseSheet);

/** The same facts as the table, one card each. */
export function CastCards({ groups, now, onAct, busy }: CastListProps): ReactElement {
  return (
    <div className={css("cards")}>
      {groups.map(({ title, casts }) => (
        <section key={title} aria-label={title}>
          <h2 className={css("secondary")}>
            {title} <span className={css("faint")}>{casts.length}</span>
          </h2>
          <ul>
            {casts.map((cast) => (
              <li key={cast.castId} className={css("card")}>
                <span className={css("row")}>
                  <Status status={cast.status} />
                  <span className={css("grow")} />
                  <span className={css("faint")}>{ageText(now - millisOf(cast.startedAt, now))}</span>
                </span>
                <a className={css("request")} href={hrefOf("casts", cast.castId)} data-cast={cast.castId}>
                  {cast.request}
                </a>
                <span className={css("row wrap secondary")}>
                  {cast.loadout}
                  <span className={css("grow")} />
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
