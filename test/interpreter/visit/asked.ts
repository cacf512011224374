import type { Place } from "../texts.ts";
import { fail, regionOf, stopAt, stopForPerson, type Cast, type Steps } from "../cast.ts";
import { judged, read, type Said } from "./reply.ts";
import { repeatedMarks } from "./prompt-marks.ts";

/** Tokens of every turn. */
export const TURN = 15;

/** Which visit it is, and the fact of what it receives at its beginning. */
interface Visit {
  readonly name: string;
  readonly told: string;
}

/** The result of a visit, for any kind of materia. */
export function* asked(cast: Cast, place: Place, visit: Visit): Steps<Said> {
  const kind = place.materia.type ?? "agent";
  if (kind === "agent") return yield* agree(cast, place, visit);
  return kind === "person" ? askPerson(cast, place, visit.name) : yield* run(cast, place, visit);
}

/** [D1, D4] A turn or a run that is broken off is done again when the cast goes on; its tokens count. */
function* unbroken(cast: Cast, place: Place, visit: Visit & { readonly turn: number; times: number }): Steps<void> {
  const { name, turn, told } = visit;
  const isAgent = (place.materia.type ?? "agent") === "agent";
  for (;;) {
    const how = cast.world.breaks(place, name, turn, visit.times);
    if (!how) return;
    if (how === "abort" && cast.name === "") {
      cast.facts.push("ended aborted");
      yield { where: place.id, goesOn: true };
    } else {
      if (isAgent) cast.shared.tokens += tokensOfBroken(visit.times);
      yield* stopForPerson(cast, { where: place.id, goesOn: true });
    }
    visit.times += 1;
    if (isAgent) yield* affordTurn(cast, place);
    cast.facts.push(told);
  }
}

export function tokensOfBroken(times: number): number {
  return times % 2 === 0 ? TURN : 0;
}

/** [D17, V13] No turn starts beyond the budget, which the items of a loop share. */
export function* affordTurn(cast: Cast, place: Place): Steps<void> {
  while (cast.shared.tokens >= cast.shared.most) yield* stopAt(cast, "maxTokens", place.id);
}

/** [Q5, Q6] A person says yes or no. */
function askPerson(cast: Cast, place: Place, name: string): Said {
  cast.facts.push(`waiting ${place.id}`, "resumed");
  const { yes, text } = cast.world.person(place, name, 1);
  return judged(yes, text);
}

/** [H12, Q1] A utility has one answer: what it prints, or as a gate how it ends. */
function* run(cast: Cast, place: Place, { name, told }: Visit): Steps<Said> {
  yield* unbroken(cast, place, { name, told, turn: 1, times: 0 });
  const printed = cast.world.reply(place, name, 1, cast.data);
  const code = cast.world.exitCode(place, name);
  if (place.materia.gate) return judged(code === 0, code === 0 ? printed.trim() : printed.trim() || `code ${code}`);
  return read(printed, place, regionOf(cast, place.id)) ?? fail(cast);
}

/** [A8, J16] With an interactive agent a person talks until they are content, then the last reply counts, if it can. */
function* agree(cast: Cast, place: Place, { name, told }: Visit): Steps<Said> {
  const broken = { name, told, times: 0 };
  const talk = function* (turn: number, answer = ""): Steps<string> {
    const repeated = repeatedMarks(cast, place, answer);
    if (turn > 1) {
      yield* affordTurn(cast, place);
      cast.facts.push(repeated);
    }
    const visit = { ...broken, turn, told: turn > 1 ? repeated : told };
    yield* unbroken(cast, place, visit);
    broken.times = visit.times;
    cast.shared.tokens += TURN;
    return cast.world.reply(place, name, turn);
  };
  if (!place.materia.interactive) return yield* repaired(cast, place, 1, talk);
  let answer = "";
  for (let turn = 1; ; turn += 1) {
    const text = yield* talk(turn, answer);
    cast.facts.push(`waiting ${place.id}`, "resumed");
    const said = cast.world.person(place, name, turn);
    answer = said.text;
    if (said.yes) return read(text, place, regionOf(cast, place.id)) ?? (yield* repaired(cast, place, turn + 1, talk));
  }
}

type Talk = (turn: number) => Steps<string>;

/** [H11] An invalid reply is asked for again so many times. */
function* repaired(cast: Cast, place: Place, first: number, talk: Talk): Steps<Said> {
  let repairs = cast.world.limits.maxRepairs;
  for (let rejected = 1; ; rejected += 1) {
    const said = read(yield* talk(first + rejected - 1), place, regionOf(cast, place.id));
    if (said) return said;
    cast.facts.push(`rejected ${place.id} ${rejected}`);
    while (rejected > repairs) repairs += yield* stopAt(cast, "maxRepairs", place.id);
  }
}
