import { describe, expect, it } from "vitest";
import { readDuration } from "../../src/core/model/text.ts";
import { readRefusal, type ProviderAnswer, type Refusal } from "../../src/core/cast/provider-refusal.ts";

const NOW = Date.parse("2026-11-18T01:00:00Z");
const clock = { now: NOW, timeZone: "UTC" };
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

type RefusalKind = { readonly in: number } | "soon" | "never" | "other";
const TABLE: readonly (readonly [name: string, answer: ProviderAnswer, expected: RefusalKind])[] = [
  // Anthropic
  [
    "anthropic: rate limit of a minute",
    {
      status: 429,
      headers: {
        "retry-after": "37",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-18T01:00:37Z",
      },
      text: '429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization\'s rate limit of 40,000 input tokens per minute"}}',
    },
    { in: 37 * SECOND },
  ],
  [
    "anthropic: only reset headers, the used-up one counts",
    {
      status: 429,
      headers: {
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-18T01:00:05Z",
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": "2026-11-18T01:02:00Z",
      },
      text: "429 rate_limit_error",
    },
    { in: 2 * MINUTE },
  ],
  [
    "anthropic: unified reset of a subscription in seconds since 1970",
    {
      status: 429,
      headers: { "anthropic-ratelimit-unified-reset": String(NOW / 1000 + 2 * 3600 + 780) },
      text: '429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account\'s rate limit. Please try again later."}}',
    },
    { in: 2 * HOUR + 13 * MINUTE },
  ],
  [
    "anthropic: subscription with a moment",
    { text: `Claude AI usage limit reached|${NOW / 1000 + 3600}` },
    { in: HOUR },
  ],
  ["anthropic: five-hour limit", { text: "5-hour limit reached ∙ resets 3am" }, { in: 2 * HOUR }],
  ["anthropic: a zone", { text: "You've hit your limit · resets 3am (Europe/Berlin)" }, { in: HOUR }],
  ["anthropic: overloaded", { status: 529, text: '{"type":"overloaded_error","message":"Overloaded"}' }, "soon"],
  [
    "anthropic: no credit",
    {
      status: 400,
      text: "400 Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing",
    },
    "never",
  ],
  ["anthropic: key", { text: '401 {"error":{"type":"authentication_error","message":"invalid x-api-key"}}' }, "never"],
  ["anthropic: model", { text: '404 {"error":{"type":"not_found_error","message":"model: claude-9"}}' }, "never"],
  // OpenAI
  [
    "openai: tokens of a minute",
    {
      status: 429,
      headers: {
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "6m0s",
        "x-ratelimit-reset-requests": "12ms",
      },
      text: "429 Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 30000.",
    },
    { in: 6 * MINUTE },
  ],
  [
    "openai: in words",
    { text: "429 Rate limit reached for gpt-4.1 on requests per min. Limit: 3 / min. Please try again in 20s." },
    { in: 20 * SECOND },
  ],
  [
    "openai: fractions and milliseconds",
    { text: "Rate limit reached. Please try again in 1m12.5s. Visit https://platform.openai.com" },
    { in: 72.5 * SECOND },
  ],
  [
    "openai: no quota",
    {
      status: 429,
      text: "429 You exceeded your current quota, please check your plan and billing details. (insufficient_quota)",
    },
    "never",
  ],
  ["openai: key", { text: "401 Incorrect API key provided: sk-x. You can find your API key at" }, "never"],
  ["openai: model", { text: "404 The model `gpt-9` does not exist or you do not have access to it." }, "never"],
  ["openai: server", { text: "500 The server had an error while processing your request" }, "soon"],
  [
    "chatgpt: plan",
    { text: "You have hit your ChatGPT usage limit (plus plan). Try again in ~143 min." },
    { in: 143 * MINUTE },
  ],
  [
    "chatgpt: a date",
    { text: "You've hit your usage limit. Try again at Nov 18th, 2026 3:04 AM." },
    { in: 2 * HOUR + 4 * MINUTE },
  ],
  // Google
  [
    "google: retry delay",
    {
      text: '429 {"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}',
    },
    { in: 34 * SECOND },
  ],
  ["google: overload", { text: '503 {"error":{"message":"The model is overloaded.","status":"UNAVAILABLE"}}' }, "soon"],
  ["google: key", { text: '400 {"error":{"message":"API key not valid. Please pass a valid API key."}}' }, "never"],
  // Others
  [
    "retry-after as a date",
    { status: 429, headers: { "retry-after": "Wed, 18 Nov 2026 01:03:00 GMT" }, text: "" },
    { in: 3 * MINUTE },
  ],
  ["retry-after-ms", { status: 429, headers: { "retry-after-ms": "1500" }, text: "" }, { in: 1500 }],
  [
    "openrouter: reset in milliseconds",
    {
      status: 429,
      headers: { "x-ratelimit-reset": String(NOW + HOUR) },
      text: "429 Rate limit exceeded: free-models-per-day",
    },
    { in: HOUR },
  ],
  ["openrouter: credit", { status: 402, text: "402 This request requires more credits" }, "never"],
  ["bedrock", { text: "ThrottlingException: Too many requests, please wait before trying again." }, "soon"],
  [
    "glm",
    { text: "429 Usage limit reached for 5 hour. Your limit will reset at 2026-11-18 03:30:00" },
    { in: 2.5 * HOUR },
  ],
  [
    "groq",
    { text: "429 Rate limit reached for model `x`. Please try again in 7m12s. Need more tokens?" },
    { in: 7 * MINUTE + 12 * SECOND },
  ],
  ["copilot", { text: "rate limited: please try again in 2 hours 5 minutes" }, { in: 2 * HOUR + 5 * MINUTE }],
  ["pi: its own cap", { text: "Server requested 90s retry delay (max: 60s). 429 slow down" }, { in: 90 * SECOND }],
  ["a time of day in UTC", { text: "usage limit: resets 03:00 UTC" }, { in: 2 * HOUR }],
  ["a time of day that has passed is tomorrow's", { text: "limit reached, resets at 12:30am" }, { in: 23.5 * HOUR }],
  ["a window without a time", { text: "usage limit reached: you may use 5 hours of this model" }, { in: 5 * HOUR }],
  ["opencode: month", { text: "429 Monthly usage limit reached. Enable available balance" }, "never"],
  ["connection", { text: "fetch failed" }, "soon"],
  // Bad input
  [
    "a reset in the past",
    { status: 429, headers: { "retry-after": "Wed, 18 Nov 2025 01:03:00 GMT" }, text: "429" },
    "soon",
  ],
  ["a negative delay", { status: 429, headers: { "retry-after": "-20" }, text: "429" }, "soon"],
  ["not a number", { status: 429, headers: { "retry-after": "NaN", "x-ratelimit-reset": "NaN" }, text: "429" }, "soon"],
  ["soon", { status: 429, headers: { "retry-after": "soon" }, text: "429 try again soon" }, "soon"],
  ["in a year", { status: 429, headers: { "retry-after": String(365 * 86_400) }, text: "429" }, "never"],
  ["an impossible time of day", { text: "429 rate limit, resets at 99:99" }, "soon"],
  ["an unknown zone", { text: "429 rate limit, resets 3am (Middle/Earth)" }, "soon"],
  ["an invalid request", { status: 400, text: "400 messages: roles must alternate" }, "other"],
  ["an overflow", { status: 400, text: "400 prompt is too long: 213462 tokens > 200000 maximum" }, "other"],
  ["nothing", { text: "" }, "other"],
];

function meaningOf(refusal: Refusal | undefined): RefusalKind {
  if (refusal?.kind === "until") return { in: refusal.at - NOW };
  return refusal === undefined ? "other" : refusal.kind === "transient" ? "soon" : "never";
}

describe("refusals of providers", () => {
  it.each(TABLE)("[Z1] reads %s", (_, answer, expected) => {
    expect(meaningOf(readRefusal(answer, clock))).toEqual(expected);
  });

  it("[Z1] reads no time from long noise", () => {
    expect(readRefusal({ text: `429 ${"x ".repeat(100_000)}` }, clock)).toEqual({ kind: "transient" });
    expect(readRefusal({ text: `429 ${"1m ".repeat(50_000)}try again` }, clock)).toEqual({ kind: "transient" });
  });

  it("[Z1] reads durations as people type them", () => {
    expect(["30m", "8h", "1h30m", "90 s", "2 days", "~3 min"].map((text) => readDuration(text))).toEqual([
      30 * MINUTE,
      8 * HOUR,
      90 * MINUTE,
      90 * SECOND,
      48 * HOUR,
      3 * MINUTE,
    ]);
    expect(["", "8", "-8h", "8 parsecs", "h", "1h of sleep"].map((text) => readDuration(text))).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
  });
});
