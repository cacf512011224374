import { refuse, runUtility } from "./lib/utility.mjs";

const usualTypes = ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];
const contextLimit = 2000;
// Half of a surrogate pair, line separators and marks that turn the direction of writing count too.
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

await runUtility("Commit-Sigil", (input) => {
  const workItems = readWorkItems(input.state);
  const rules = readRules(input.params);
  const wrong = workItems.flatMap(({ title }, index) => {
    const faults = faultsOf(title, rules);
    return faults.length > 0 ? [`WI-${index + 1} ${show(title)}: ${faults.join("; ")}`] : [];
  });
  // [U33] The list goes on as it came: downstream, a title is what people recognise an item by.
  return { workItems, satisfied: wrong.length === 0, context: describe(wrong, { count: workItems.length, ...rules }) };
});

function readWorkItems({ workItems }) {
  if (!Array.isArray(workItems)) refuse("state.workItems is not a list", "place Commit-Sigil after a generator");
  const untitled = workItems.findIndex((item) => typeof item?.title !== "string");
  if (untitled >= 0) refuse(`state.workItems[${untitled}] has no title`, "mend the socket that made the list");
  return workItems;
}

function readRules({ types = usualTypes, maxLength = 72 }) {
  const areNames =
    Array.isArray(types) &&
    types.length > 0 &&
    types.every((type) => typeof type === "string" && /^[\w-]+$/.test(type));
  if (!areNames) refuse("params.types is not a list of words", 'write it like ["feat", "fix"]');
  if (!Number.isInteger(maxLength) || maxLength < 1) {
    refuse(`params.maxLength is ${JSON.stringify(maxLength)}`, "write a whole number such as 72");
  }
  return { types, maxLength };
}

/** [U34] Conventional Commits, every fault of a title at once. */
function faultsOf(title, { types, maxLength }) {
  const faults = formFaultsOf(title, types);
  if (title.trimEnd().endsWith(".")) faults.push("ends with a period");
  const length = [...title].length;
  if (length > maxLength) faults.push(`${length} characters, at most ${maxLength}`);
  if (title.search(unprintable) >= 0) faults.push("has a control character");
  return faults;
}

function formFaultsOf(title, types) {
  const form = /^(?<type>[\w-]+)(?:\((?<scope>[^()]*)\))?!?: (?<subject>.*)$/su.exec(title)?.groups;
  if (!form) return ["is not type(scope)!: subject"];
  const faults = [];
  const type = form.type.toLowerCase();
  if (!types.some((known) => known.toLowerCase() === type)) faults.push(`unknown type ${show(form.type)}`);
  if (form.scope?.trim() === "") faults.push("empty scope");
  if (form.subject.trim() === "") faults.push("empty subject");
  else if (form.subject !== form.subject.trim()) faults.push("spaces around the subject");
  return faults;
}

function describe(wrong, { count, types, maxLength }) {
  if (wrong.length === 0) return `Titles usable as commit subjects: all ${count}.`;
  const known = cut(types.join(", "), 300);
  const lines = [
    `${wrong.length} of ${count} titles are not usable as commit subjects: type(scope)!: subject, at most ${maxLength} characters, type one of ${known}.`,
  ];
  for (const [index, line] of wrong.entries()) {
    const more = `and ${wrong.length - index} more`;
    const size = [...lines, line, more].join("\n").length;
    if (size > contextLimit) return [...lines, more].join("\n");
    lines.push(line);
  }
  return lines.join("\n");
}

function show(text) {
  return `"${cut(text, 80).replace(unprintable, "\ufffd")}"`;
}

function cut(text, limit) {
  const characters = Array.from(text.slice(0, 2 * limit));
  return characters.length > limit || text.length > 2 * limit ? `${characters.slice(0, limit).join("")}…` : text;
}
