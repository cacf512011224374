import type { ReactElement } from "react";
import { setEdge } from "../../../../../../core/edit/graph/edges.ts";
import { NEXT_ITEM, type Edge } from "../../../../../../core/model/loadout.ts";
import { Select } from "../../../parts/controls/fields.tsx";
import { useEditor } from "../state/editor.ts";
import { socketOptions } from "./conditions.ts";

/** Where an edge leads once its traversals are used up. */
export function ThenField({ from, index }: { readonly from: string; readonly index: number }): ReactElement {
  const { loadout, apply, readOnly } = useEditor();
  const edge = loadout.sockets[from]?.edges[index];
  const looped = Object.values(loadout.loops).some(({ sockets }) => sockets.some((id) => id === from));
  const options = [
    { value: "", label: "the cast fails" },
    ...(looped ? [{ value: NEXT_ITEM, label: "next item" }] : []),
    { value: "end", label: "end" },
    ...socketOptions(loadout),
  ];
  return (
    <Select
      label="Once used up"
      value={edge?.then ?? ""}
      options={options}
      off={readOnly !== null || edge?.maxTraversals === undefined}
      onPick={(then) =>
        // One of the sockets, the end or the next item: nothing else is offered.
        apply(`Then ${then === "" ? "fail" : then}`, (each) =>
          setEdge(each, from, index, { then: then === "" ? null : (then as NonNullable<Edge["then"]>) }),
        )
      }
    />
  );
}
