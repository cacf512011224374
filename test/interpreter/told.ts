import type { Place } from "./texts.ts";
import { valueAt } from "./texts.ts";
import { currentOf, itemOf } from "./cast.ts";
import type { Cast } from "./cast.ts";

/** Every marked word of a text, once and in order. What was dropped (`«d…»`) reaches nobody and is never expected. */
export function marksOf(text: string): readonly string[] {
  return [...new Set(text.match(/«[^»]*»/g))].toSorted();
}

/** [P1–P4] The marks that an agent, or a person, is told at the beginning of a visit: these, and no others. */
export function told(cast: Cast, place: Place): string {
  const { pass, handed } = cast;
  const own = pass !== undefined && handed.list === pass.list;
  const items = own ? [] : handed.items;
  const handedOn = [
    handed.text,
    JSON.stringify(items),
    handed.text.trim() !== "" || items.length > 0 ? handed.label : "",
  ];
  // [Q5] A person is shown the question and what was handed on.
  const agent = [
    JSON.stringify(pass?.items[pass.index] ?? null),
    ...(cast.reasons.get(`${place.id} ${itemOf(cast)}`) ?? []),
    pass ? (cast.notes.get(pass.list) ?? "") : "",
  ];
  const { prompt, question, type } = place.materia;
  const parts = [filled(cast, prompt ?? question ?? ""), ...handedOn, ...(type === "person" ? [] : agent)];
  const marks = marksOf(parts.join("\n")).filter((mark) => !mark.startsWith("«d"));
  return `told ${place.id} ${marks.join(" ")}`;
}

/** [P8] The words in double braces. */
function filled(cast: Cast, prompt: string): string {
  const item = cast.pass?.items[cast.pass.index];
  return [...prompt.matchAll(/\{\{([^}]*)\}\}/g)]
    .map(([, name = ""]) => {
      if (name === "workItems") return JSON.stringify(cast.data["workItems"] ?? "");
      if (name === "item.title") return item?.title ?? "";
      if (name === "item.context") return item?.context ?? "";
      const path = /^state\.(.*)$/.exec(name)?.[1]?.split(".");
      return path ? JSON.stringify(valueAt({ ...cast.data, ...currentOf(cast) }, path) ?? "") : "";
    })
    .join("\n");
}
