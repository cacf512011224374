import { readDuration, TIME_UNITS as UNITS } from "../model/text.ts";

export interface ProviderAnswer {
  readonly status?: number | undefined;
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly text: string;
}

/** [Z1] How long a refusal lasts. */
export type Refusal =
  /** It passes soon: overload, a failed connection, a rate limit without a time. */
  | { readonly kind: "transient" }
  /** It passes at this time, in milliseconds since 1970. */
  | { readonly kind: "until"; readonly at: number }
  /** It does not pass by itself. `fix` says what a person can do. */
  | { readonly kind: "permanent"; readonly fix: string };

/** The clock of the reader: the present time, and the time zone of times of day that name none. */
export interface RefusalClock {
  readonly now: number;
  readonly timeZone?: string;
}

/** A later end than this helps nobody: the refusal counts as permanent. */
export const MAX_WAIT_MS = 35 * 86_400_000;

/** [Z1] Reads a refusal; undefined for any other error, such as an invalid request. */
export function readRefusal(answer: ProviderAnswer, clock: RefusalClock): Refusal | undefined {
  const text = answer.text.slice(0, 4_000);
  const status = answer.status ?? statusIn(text);
  const permanent = PERMANENT_REFUSALS.find(
    (row) => row.words.test(text) || (status !== undefined && row.status?.includes(status) === true),
  );
  const isLimit = status === 429 || status === 503 || status === 529 || LIMIT_WORDS.test(text);
  if (!isLimit && permanent) return { kind: "permanent", fix: permanent.fix };
  // A billing problem may come with a delay for clients that retry anyway; a quota of a minute or a day may not.
  if (permanent?.isFinal) return { kind: "permanent", fix: permanent.fix };
  const at = isLimit ? (timeInHeaders(answer.headers ?? {}, clock) ?? timeInText(text, clock)) : undefined;
  if (at !== undefined && at > clock.now + MAX_WAIT_MS)
    return { kind: "permanent", fix: "the limit ends in more than a month; use another model" };
  if (at !== undefined && at > clock.now) return { kind: "until", at };
  if (permanent) return { kind: "permanent", fix: permanent.fix };
  // [A22] Only the text of an error distinguishes a transient failure from a permanent one.
  const isTransient = status === 408 || (status !== undefined && status >= 500 && status < 600);
  return isLimit || isTransient || TRANSIENT_WORDS.test(text) ? { kind: "transient" } : undefined;
}

const LIMIT_WORDS =
  /rate.?limit|too many requests|usage limit|limit reached|hit your (?:\w+ )?limit|resource.?exhausted|quota exceeded|exceeded your current quota|overloaded|throttl|try again (?:in|at)|retry delay/i;

interface PermanentRefusal {
  readonly words: RegExp;
  readonly status?: readonly number[];
  readonly fix: string;
  /** No time beside it counts. */
  readonly isFinal?: true;
}

const PERMANENT_REFUSALS: readonly PermanentRefusal[] = [
  {
    words:
      /insufficient_quota|credit balance is too low|insufficient (?:credits|balance|funds)|payment required|out of budget|billing_hard_limit|billing_not_active/i,
    status: [402],
    fix: "add credit or raise the spending limit at the provider, or use another model",
    isFinal: true,
  },
  {
    words: /monthly (?:usage |spend(?:ing)? )?(?:limit|quota)|GoUsageLimitError|FreeUsageLimitError|available balance/i,
    fix: "the quota of this plan is used up: change the plan, or use another model",
  },
  {
    words:
      /invalid.?(?:x-)?api.?key|incorrect api key|authentication_error|invalid_api_key|api key (?:not valid|expired|not found)|unauthorized|token (?:has )?(?:expired|been revoked)|there is no key for/i,
    status: [401],
    fix: "log in to the provider again with /login in Pi, or set its key",
  },
  {
    words: /permission_error|permission.?denied|does not have access to model|country, region, or territory/i,
    status: [403],
    fix: "this account may not use the model: use another model, or ask the provider for access",
  },
  {
    words:
      /model_not_found|model.{0,80}(?:does not exist|not found|no longer available|has been (?:deprecated|decommissioned|retired))|not_found_error.{0,40}model|knows no model|decommissioned/is,
    fix: "the provider does not have this model (any more): use another model",
  },
  { words: /quota exceeded|exceeded your current quota|billing/i, fix: "check plan and billing at the provider" },
];

const TRANSIENT_WORDS =
  /overloaded|high demand|rate.?limit|too many requests|unavailable|time(?:d)?[ -]?out|ETIMEDOUT|ECONNRE|network|connection|fetch failed|socket|terminated|internal.?error|server.?error|getaddrinfo|EAI_AGAIN|ended (?:without|before)|retry your request/i;

/** `429 {"error":…}`, `529: overloaded`, `HTTP 503`, `"code": 429`. */
function statusIn(text: string): number | undefined {
  const [, digits] = /(?:^|\bHTTP\/?[\d.]* |\bstatus(?: code)?:? |"code": ?|: )\(?([45]\d\d)\b/i.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function timeInHeaders(headers: Readonly<Record<string, string>>, clock: RefusalClock): number | undefined {
  const inMs = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(inMs) && inMs > 0) return clock.now + inMs;
  const after = headers["retry-after"];
  const given = after === undefined ? undefined : readMoment(after, clock);
  if (given !== undefined) return given;
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const at = RESET_HEADER.test(name) ? readMoment(value, clock) : undefined;
    const remaining = headers[name.replace("reset", "remaining")];
    return at === undefined ? [] : [{ at, isUsedUp: remaining !== undefined && Number(remaining) === 0 }];
  });
  const used = resets.filter(({ isUsedUp }) => isUsedUp);
  if (used.length > 0) return Math.max(...used.map(({ at }) => at));
  return resets.length === 0 ? undefined : Math.min(...resets.map(({ at }) => at));
}

const RESET_HEADER = /^(?:x-|anthropic-)?ratelimit-(?:[a-z-]+-)?reset(?:-[a-z]+)?$/;

/** Seconds, `6m0s`, seconds or milliseconds since 1970, or a date. A moment in the past or not a number is none. */
function readMoment(value: string, { now }: RefusalClock): number | undefined {
  const number = Number(value);
  const at = Number.isFinite(number) ? momentOfNumber(number, now) : (afterDuration(value, now) ?? Date.parse(value));
  return Number.isFinite(at) && at > now ? at : undefined;
}

function momentOfNumber(value: number, now: number): number {
  if (value > 1e11) return value;
  return value > 1e9 ? value * 1000 : now + value * 1000;
}

function afterDuration(text: string, now: number): number | undefined {
  const ms = readDuration(text);
  return ms === undefined ? undefined : now + ms;
}

const AMOUNT = String.raw`~?\s*\d+(?:\.\d+)?\s*(?:ms|milliseconds?|d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])`;
const IN_DURATION = new RegExp(
  String.raw`(?:again|retry|retries|resets?|reset|wait|available|requested)\s+(?:again\s+)?(?:in|after|for)?\s*(${AMOUNT}(?:[\s,]*(?:and\s+)?${AMOUNT})*)`,
  "i",
);
const RETRY_DELAY = /"?retry_?(?:delay|after)(?:_?(ms|seconds?))?"?\s*[:=]\s*"?(\d+(?:\.\d+)?)(m?s)?"?/i;
const RESETS_AT = /"?reset(?:s|_?at|_?time)?"?\s*[:=]?\s*"?(?:at\s+|on\s+)?(\d{10,13})\b|limit reached\|(\d{10,13})/i;
const ISO_TIME =
  /(?:reset|again|available|until|after)\D{0,30}?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)/i;
const DAY_TIME =
  /(?:reset|again|available)\w*\s+(?:at\s+|on\s+)?(?:([A-Z][a-z]{2,8})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s*(?:(\d{4}),?)?\s*(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*(am|pm)?(?:\s*\(?(UTC|GMT|Z|[A-Z][A-Za-z]+\/[A-Za-z_/]+)\)?)?/i;
const WINDOW = /(\d+)[ -]?h(?:ou)?r?s?\b.{0,30}limit|usage limit.{0,60}?(\d+)[ -]?hours?/is;

function timeInText(text: string, clock: RefusalClock): number | undefined {
  const { now } = clock;
  const [, unit, amount, suffix] = RETRY_DELAY.exec(text) ?? [];
  if (amount !== undefined) return now + Number(amount) * (unit === "ms" || suffix === "ms" ? 1 : 1000);
  const [, after] = IN_DURATION.exec(text) ?? [];
  if (after !== undefined) return afterDuration(after, now);
  const [, epoch, piped] = RESETS_AT.exec(text) ?? [];
  if (epoch ?? piped) return momentOfNumber(Number(epoch ?? piped), now);
  const [, iso] = ISO_TIME.exec(text) ?? [];
  if (iso !== undefined) return momentOfDate(iso);
  const day = DAY_TIME.exec(text);
  const at = day ? momentOfDayTime(day, clock) : undefined;
  if (at !== undefined) return at;
  const [, before, behind] = WINDOW.exec(text) ?? [];
  return before === undefined && behind === undefined ? undefined : now + Number(before ?? behind) * UNITS.h;
}

/** Without a zone it is UTC: providers write it so. */
function momentOfDate(iso: string): number | undefined {
  const at = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso.replace(" ", "T") : `${iso.replace(" ", "T")}Z`);
  return Number.isFinite(at) ? at : undefined;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** `3pm`, `03:00 UTC`, `Nov 20, 3:04 PM`, `10pm (Europe/Berlin)`: the next such time. A number alone is no time. */
function momentOfDayTime(found: RegExpExecArray, clock: RefusalClock): number | undefined {
  const [, month, day, year, hourText = "", minute, half, zone] = found;
  if (minute === undefined && half === undefined) return undefined;
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (/pm/i.test(half) ? 12 : 0);
  if (hour > 23 || Number(minute ?? 0) > 59) return undefined;
  const timeZone = zone === undefined ? clock.timeZone : /^(?:UTC|GMT|Z)$/i.test(zone) ? "UTC" : zone;
  const offset = zoneOffset(clock.now, timeZone);
  if (offset === undefined) return undefined;
  const here = new Date(clock.now + offset);
  const index = month === undefined ? -1 : MONTHS.indexOf(month.slice(0, 3).toLowerCase());
  const date =
    index === -1
      ? { year: here.getUTCFullYear(), month: here.getUTCMonth(), day: here.getUTCDate() }
      : { year: Number(year ?? here.getUTCFullYear()), month: index, day: Number(day) };
  const at = Date.UTC(date.year, date.month, date.day, hour, Number(minute ?? 0)) - offset;
  // A reset at 03:00 that is less than a minute ago may still be due; yesterday's is tomorrow's.
  return index === -1 && at <= clock.now - UNITS.m ? at + UNITS.d : at;
}

/** How far the clocks of a zone are ahead of UTC; undefined for an unknown zone. */
function zoneOffset(now: number, timeZone: string | undefined): number | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      dateStyle: "short",
      timeStyle: "medium",
    });
    const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
    const year = (part["year"] ?? 0) + ((part["year"] ?? 0) < 100 ? 2000 : 0);
    const local = Date.UTC(year, (part["month"] ?? 1) - 1, part["day"] ?? 1, part["hour"] ?? 0, part["minute"] ?? 0);
    return Math.round((local - Math.floor(now / UNITS.m) * UNITS.m) / UNITS.m) * UNITS.m;
  } catch {
    return undefined;
  }
}

export function providerOf(model: string): string {
  return model.includes("/") ? model.slice(0, model.indexOf("/")) : model;
}

/** [A31] Errors of the network and of a parser that mean nothing to a person, in plain words. */
const PLAIN_ERRORS: readonly (readonly [error: RegExp, words: string])[] = [
  [/^terminated$|other side closed|premature close|socket hang up/i, "the provider cut off its reply"],
  [
    /^\s*$|in JSON at position|is not valid JSON|Unexpected (?:token|end of JSON)|Expected .* in JSON|JSON Parse error/i,
    "the provider sent a reply that cannot be read",
  ],
];

export function plainProviderError(raw: string): string {
  const error = withoutJson(raw);
  const words = PLAIN_ERRORS.find(([pattern]) => pattern.test(error))?.[1];
  return words === undefined ? error : `${words}${error.trim() === "" ? "" : ` (${error.trim()})`}`;
}

function withoutJson(error: string): string {
  const at = error.indexOf("{");
  const [, said] = /"message"\s*:\s*"((?:[^"\\]|\\.)+)"/.exec(error) ?? [];
  return at === -1 || said === undefined ? error : `${error.slice(0, at)}${said}`;
}
