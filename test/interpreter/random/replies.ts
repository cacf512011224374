import type { Json, JsonObject, Place } from "../texts.ts";
import type { PersonAnswer, World } from "../cast.ts";
import { chanceOf, type Chance } from "./chance.ts";
import { isItems } from "../visit/reply.ts";
import { BUILT, type Case, type Habits } from "./worlds.ts";

/** The answers of this case: every turn has its own, by socket and by count. */
export function worldOf({ seed, texts, parallel = false, raises: most, habits = {} }: Case): World {
  const chance = chanceOf("world", seed);
  const mood: Mood = {
    seed,
    valid: chance.pick(1, 1, 0.95, 0.7),
    longest: chance.pick(0, 1, 2, 3, 4),
    shortest: chance.pick(0, 1, 1, 2),
    named: parallel === false ? 0 : chanceOf("named", seed).pick(0, 0.3, 0.8),
    impossible: parallel === "sound" ? 0 : 0.01,
    habits,
  };
  const clashes = chanceOf("clashes", seed).pick(0, 0.1, 0.3, 0.6);
  const refusing = chanceOf("refusing", seed).pick(0, 0, 0.05, 0.5);
  const decides = chanceOf("decides", seed).pick(0, 0.5, 0.9);
  const files = chanceOf("files", seed);
  const busy = files.pick(0, 0.1, 0.3, 0.7);
  const raises = most ?? chance.pick(0, 0, 1, 2);
  return {
    limits: texts.limits,
    budget: texts.budget,
    reply: (place, visit, turn, state) => reply(mood, place, visit, turn, state),
    exitCode: (place, visit) => (content(mood, place, chanceOf(seed, "exit", place.id, visit)) ? 0 : 1),
    person: (place, visit, turn) => personAnswer(mood, place, visit, turn),
    together: (fork) => chanceOf(seed, "together", fork).happens(0.95),
    pace: (work) => chanceOf(seed, "pace", work).count(0, 2 ** 32),
    conflict: (attempt) =>
      chanceOf(seed, "conflict", attempt).happens(clashes) ? `cannot be merged «m${attempt}»` : undefined,
    keepsFiles: files.happens(0.5),
    changes: (place, visit) => chanceOf(seed, "changes", place.id, visit).happens(busy),
    resolves: (place, visit) => chanceOf(seed, "resolves", place.id, visit).happens(0.6),
    refusal: (place, visit, turn, times) => {
      const refuses = chanceOf(seed, "refusal", place.id, visit, turn, times);
      return refuses.happens(refusing) ? refuses.pick("soon", "limit", "switched", "overload") : undefined;
    },
    decide: (times, hasItem) => {
      const person = chanceOf(seed, "decide", times);
      if (!person.happens(decides)) return undefined;
      if (habits.breaks !== undefined && person.happens(0.4)) return { hint: `look «h${times}»` };
      return hasItem ? person.pick("accept", "next", "next") : "accept";
    },
    raise: (limit, times) => {
      if (times > raises) return undefined;
      const person = chanceOf(seed, "raise", times);
      if (habits.breaks === undefined) return limit === "maxTokens" ? 100 : 1;
      return limit === "maxTokens" ? person.pick(0, 1, 15, 40, 100) : person.pick(0, 1, 1, 2, 3);
    },
    breaks: (place, visit, turn, times) => {
      const broken = chanceOf(seed, "breaks", place.id, visit, turn, times);
      if (times > 2 || !broken.happens(habits.breaks ?? 0)) return undefined;
      return broken.pick("failure", "failure", "abort");
    },
    earlier: habits.earlier ? earlierCast(mood) : {},
  };
}

/** [L26] What `--from` puts into state. */
function earlierCast({ seed, shortest, longest }: Mood): JsonObject {
  const chance = chanceOf(seed, "earlier");
  const items = (kind: string): Json =>
    Array.from({ length: chance.count(shortest, Math.max(shortest, longest)) }, (_, index) => ({
      title: `before «${kind}${index}»`,
      context: chance.pick("", `«x${kind}${index}»`),
    }));
  const workItems = items("e");
  const handoff = { satisfied: true, context: "«ec»", ...(chance.happens(0.6) ? { workItems: items("eh") } : {}) };
  const facts = { castId: "cast-0", request: "«er»", outcome: "completed", artifacts: [] };
  return { previousCastContext: { ...facts, handoff, workItems } };
}

interface Mood {
  readonly seed: number;
  readonly valid: number;
  readonly shortest: number;
  readonly longest: number;
  /** How often an item names others. */
  readonly named: number;
  /** How often it names what cannot be. */
  readonly impossible: number;
  readonly habits: Habits;
}

/** One socket may always say no while another is content. */
function content({ seed }: Mood, { id }: Place, chance: Chance): boolean {
  return chance.happens(chanceOf(seed, "mind", id).pick(0, 0.3, 0.5, 0.7, 0.8, 1, 1));
}

function personAnswer(mood: Mood, place: Place, visit: string, turn: number): PersonAnswer {
  const chance = chanceOf(mood.seed, "person", place.id, visit, turn);
  const yes = turn > 3 || content(mood, place, chance);
  return { yes, text: yes && chance.happens(0.5) ? "" : `so «v${place.id}#${visit}.${turn}»` };
}

function reply(mood: Mood, place: Place, name: string, turn: number, state: JsonObject = {}): string {
  // [G26] A program may find the list that it has made before.
  const steady = place.materia.type === "utility" && chanceOf(mood.seed, "steady", place.id).happens(0.4);
  const visit = steady ? "1" : name;
  const chance = chanceOf(mood.seed, "reply", place.id, visit, turn);
  const at = `${place.id}#${visit}.${turn}`;
  const utility = place.materia.type === "utility";
  if (place.materia.gate) return chance.pick(`printed «t${at}»`, `\n«t${at}»\n\n`);
  if (place.parse === "text")
    return chance.pick(`words «t${at}»`, `{"satisfied":false,"context":"«t${at}»"}`, "", " \n");
  // One invalid result of a utility ends the cast; more than a few would end them all.
  if (!chance.happens(utility ? 0.98 : mood.valid)) return malformed(chance, at);
  const said = handoff(mood, place, chance, at);
  const text = JSON.stringify(utility ? echoed(mood, place, at, said, state) : said, null, chance.pick(0, 0, 2));
  return utility ? text : dressed(chance, text, at);
}

function handoff(mood: Mood, place: Place, chance: Chance, at: string): JsonObject {
  const utility = place.materia.type === "utility";
  const guarded = place.advance !== undefined || place.edges.some(({ when }) => when !== "always");
  const wanted = (field: string): boolean => place.assign.some(([, source]) => source.startsWith(`$.${field}`));
  const { repeats, alike, longest = mood.longest } = mood.habits;
  const items = (kind: string): Json => {
    const same = repeats && chanceOf(mood.seed, "repeats", place.id).happens(0.6);
    const own = same ? chanceOf(mood.seed, "same", kind, place.id) : chance;
    const by = same ? place.id : at;
    return Array.from({ length: own.count(mood.shortest, Math.max(mood.shortest, longest)) }, (_, index) => ({
      title: alike ? "the same" : `ชื่อ «${kind}${by}-${index}» 🙂`,
      context: own.pick("", `«x${kind}${by}-${index}»`),
      ...(kind === "i" && own.happens(0.1) ? { id: `«d${by}»` } : {}),
      ...(mood.named > 0 ? after(mood, `${kind}${by}`, index) : {}),
    }));
  };
  const says = guarded ? 0.97 : 0.3;
  const answer = chance.happens(says) ? { satisfied: content(mood, place, chance) } : {};
  // [H21] Most refusals have a reason.
  const words = answer.satisfied === false ? 0.95 : 0.5;
  return {
    ...answer,
    ...(chance.happens(words)
      ? {
          context: chance.pick(
            `why «c${at}»`,
            `«c${at}»\n`,
            `why «c${at}»\nOpen: «o${at}»`,
            ...(chance.happens(words) ? [] : ["", " \n"]),
          ),
        }
      : {}),
    ...(chance.happens(place.materia.generator || wanted("workItems") ? 0.97 : 0.1) ? { workItems: items("i") } : {}),
    ...(utility && wanted("things") ? { things: items("j") } : {}),
    ...(utility && chance.happens(0.4) ? { state: patch(chance, at, items("k")) } : {}),
    ...(!utility && chance.happens(0.1) ? { [chance.pick("passed", "state", "tasks")]: `«d${at}»` } : {}),
  };
}

/** [G26] A program hands on a list that it was given, as it is or changed, under any name. */
function echoed({ seed, habits }: Mood, { id }: Place, at: string, said: JsonObject, state: JsonObject): JsonObject {
  const chance = chanceOf(seed, "echo", at);
  if (!habits.echoes || !chanceOf(seed, "echoes", id).happens(0.7)) return said;
  const found = ["workItems", "plans"].flatMap((name) => (isItems(state[name] ?? null) ? [state[name]] : []));
  const [first = said["workItems"] ?? [], second = first] = found;
  const list = chance.pick(first, first, second) as readonly Json[]; // lists of items, both
  const changed = chance.pick<readonly Json[]>(list, list, list, list.slice(1), list.toReversed(), []);
  const set = chance.happens(0.3) ? { state: { plans: changed } } : {};
  const things = "things" in said ? { things: changed } : {};
  return { ...said, ...set, ...things, ...("workItems" in said ? { workItems: changed } : {}) };
}

/** [V3] What an item builds on; now and then what cannot be. */
function after({ seed, named, impossible }: Mood, at: string, index: number): JsonObject {
  const chance = chanceOf(seed, "after", at, index);
  if (chance.happens(impossible)) return { after: chance.pick<Json>([index + 1], ["1"], [0], "none", null, [1.5]) };
  if (!chance.happens(named)) return {};
  return { after: Array.from({ length: index }, (_, before) => before + 1).filter(() => chance.happens(0.4)) };
}

function patch(chance: Chance, at: string, items: Json): JsonObject {
  return {
    ...(chance.happens(0.3) ? { seen: `«s${at}»` } : {}),
    ...(chance.happens(0.3) ? { plans: items } : {}),
    ...(chance.happens(0.2) ? { workItems: [{ title: `«d${at}»`, context: "" }], satisfied: false } : {}),
  };
}

/** A handoff as agents write it. */
function dressed(chance: Chance, text: string, at: string): string {
  return chance.pick(
    text,
    text,
    text,
    `\uFEFF${text}\n`,
    `So «p${at}»:\n\`\`\`json\n${text}\n\`\`\`\nThat is all.`,
    `${BUILT.has("mark before a fence") ? "\uFEFF" : ""}\`\`\`json\n${text}\n\`\`\``,
    `~~~\n${text}\n~~~`,
    `Look «p${at}»: ${text} – done.`,
    `{"satisfied":"maybe"} no, rather ${text}`,
    `\`\`\`\n{"satisfied":"maybe"}\n\`\`\`\n\`\`\`\`json\n${text}`,
  );
}

function malformed(chance: Chance, at: string): string {
  return chance.pick(
    "",
    `no object «p${at}»`,
    "null",
    "[]",
    "{",
    `[{"satisfied":true,"workItems":[],"context":""}]`,
    `{"a":{"satisfied":true,"workItems":[],"context":""}`,
    `{"satisfied":"yes","workItems":[]}`,
    `{"satisfied":true,"context":1}`,
    `{"satisfied":true,"workItems":[{"title":"a"}]}`,
    `{"satisfied":true,"workItems":{}}`,
    `{"satisfied":null,"workItems":[]}`,
  );
}
