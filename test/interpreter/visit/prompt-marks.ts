import { type Place, valueAt } from "../texts.ts";
import { currentOf, itemOf, type Cast } from "../cast.ts";

/** Every marked word of a text, once and in order. What was dropped (`«d…»`) reaches nobody and is never expected. */
export function marksOf(text: string): readonly string[] {
  return [...new Set(text.match(/«[^»]*»/g))].toSorted();
}

/** [P1–P4] The marks in the prompt of an agent, or in the question to a person, at the start of a visit: these, and no others. */
export function promptMarks(cast: Cast, place: Place, goesOn = false): string {
  const { handed } = cast;
  const left = cast.pass ? undefined : cast.lastPass;
  const isPerson = place.materia.type === "person";
  // [P13] Agents after a loop receive its list and notes.
  const pass = cast.pass ?? (isPerson ? undefined : left?.pass);
  const own = pass !== undefined && handed.list === pass.list;
  const reasons = (cast.again ? cast.reasons.get(`${place.id} ${itemOf(cast)}`) : undefined) ?? [];
  const { prompt, question } = place.materia;
  const items = own ? [] : handed.items;
  // [Q5] A person is shown the question, the item, and the words and the list that were handed on.
  const title = cast.pass?.items[cast.pass.index]?.title ?? "";
  const person = [filled(cast, question ?? ""), title, handed.text, JSON.stringify(items)];
  const note = pass ? (cast.notes.get(pass.list) ?? "") : "";
  // [P9, P10] The reason of a rework, or a note on all items, is not repeated as handed on.
  const elsewhere = reasons.length > 0 || handed.text.trim() === note.trim();
  const labelled = (handed.text.trim() !== "" && !elsewhere) || (handed.made && !own);
  const answered = cast.answers.get(`${place.id} ${itemOf(cast)}`);
  const again = answered && (answered.refuses || reasons.length > 0) ? answered.text : "";
  const remade = answered && !answered.refuses && reasons.length > 0 && place.materia.generator && !handed.made;
  const agent = [
    filled(cast, prompt ?? ""),
    JSON.stringify([cast.pass?.items[cast.pass.index] ?? null, left?.pass.items ?? [], items]),
    again,
    remade ? JSON.stringify(cast.data["workItems"] ?? []) : "",
    ...(left?.gave.values() ?? []),
    ...(cast.pass ? [] : cast.open.flatMap(({ about, text }) => (note.includes(text) ? [] : [about, text]))),
    handed.text,
    labelled ? handed.label : "",
    ...reasons,
    note,
  ];
  // [I6] The conversation has the rest: the newest reason, and what was handed on.
  const [about = "", ...words] = (reasons[0] ?? "").split("\n");
  const more = [
    filled(cast, prompt ?? ""),
    JSON.stringify(items),
    about === (cast.pass?.items[cast.pass.index]?.title ?? "") ? "" : about,
    handed.text.trim() === "" ? words.join("\n") : "",
    reasons.length === 0 && elsewhere ? "" : handed.text,
    labelled ? handed.label : "",
  ];
  const parts = isPerson ? person : goesOn ? more : agent;
  const marks = marksOf(parts.join("\n")).filter((mark) => !mark.startsWith("«d"));
  return `told ${place.id} ${marks.join(" ")}`;
}

/** [U1, U2] The marks in the input of a program: all of state, and the current item. */
export function givenMarks(cast: Cast, place: Place): string {
  const item = cast.pass?.items[cast.pass.index] ?? null;
  return `told ${place.id} ${marksOf(JSON.stringify([cast.data, item])).join(" ")}`;
}

/** [A8, H11] A further turn of a visit gets its instructions, and the person's last message; nothing of it twice. */
export function repeatedMarks(cast: Cast, place: Place, answer: string): string {
  const marks = marksOf([filled(cast, place.materia.prompt ?? ""), answer].join("\n"));
  return `told ${place.id} ${marks.filter((mark) => !mark.startsWith("«d")).join(" ")}`;
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
