import { addUsage, NO_USAGE, totalTokens, type Usage } from "../../cast/state/usage.ts";
import type { TimelineRow } from "./rows.ts";

/** What a cast cost, by materia and by row of the timeline. */
export interface CostTable {
  readonly columns: readonly { readonly key: string; readonly title: string; readonly usage: Usage }[];
  readonly lines: readonly {
    readonly materia: string;
    readonly socket: string;
    readonly cells: readonly (Usage | null)[];
    readonly usage: Usage;
  }[];
  readonly total: Usage;
}

export function costTable(rows: readonly TimelineRow[]): CostTable {
  const sum = (usages: readonly Usage[]): Usage => usages.reduce(addUsage, NO_USAGE);
  const paid = rows.map((row) => ({
    ...row,
    visits: row.visits.filter(({ usage }) => totalTokens(usage) > 0 || usage.cost > 0),
  }));
  const columns = paid.filter(({ visits }) => visits.length > 0);
  const names = [...new Set(columns.flatMap(({ visits }) => visits.map(({ materia }) => materia)))];
  return {
    columns: columns.map(({ key, number, title, visits }) => ({
      key,
      title: number === null ? title.replace(/ the (loops?|whole cast)$/, "") : `Item ${number}`,
      usage: sum(visits.map(({ usage }) => usage)),
    })),
    lines: names.map((materia) => {
      const cells = columns.map(({ visits }) => {
        const own = visits.filter((visit) => visit.materia === materia);
        return own.length === 0 ? null : sum(own.map(({ usage }) => usage));
      });
      const socket = columns.flatMap(({ visits }) => visits).find((visit) => visit.materia === materia)?.socket ?? "";
      return { materia, socket, cells, usage: sum(cells.flatMap((cell) => cell ?? [])) };
    }),
    total: sum(columns.flatMap(({ visits }) => visits.map(({ usage }) => usage))),
  };
}
