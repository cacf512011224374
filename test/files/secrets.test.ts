import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFileArtifacts } from "../../src/shell/store/files/artifacts.ts";
import { layoutInFolder } from "../../src/shell/store/layout.ts";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import { redactEvent } from "../../src/shell/secrets/redact-event.ts";
import { createRedactedStream, createRedactor, registerSecrets } from "../../src/shell/secrets/redact.ts";
import { scratchFolder } from "../harness/agents.ts";
import { socket } from "../harness/seats.ts";

const PLACE = { socket: socket("Socket-1"), visit: 1 };

/** Where Pi looks for keys, and where other tools keep theirs. */
const NAMES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_OAUTH_TOKEN",
  "ANTHROPIC_AUTH_TOKEN",
  "OPENAI_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
  "COPILOT_GITHUB_TOKEN",
  "GH_TOKEN",
  "HF_TOKEN",
  "QWEN_TOKEN_PLAN_API_KEY",
  "npm_config_token",
  "CLIENT_SECRET",
  "SECRET_KEY_BASE",
  "DB_PASSWORD",
  "PGPASSWORD",
  "SSH_PRIVATE_KEY",
  "GITHUB_PAT",
  "SSHKEY",
  "DB_PASS",
  "MYSQL_PWD",
];

it.each(NAMES.map((name): [rule: string, name: string] => [`[S7] ${name}`, name]))(
  "%s is kept out of every text",
  (_rule, name) => {
    const redact = createRedactor({ [name]: "s3cr3t-value", PATH: "/usr/bin" });
    expect(redact("it is s3cr3t-value, s3cr3t-value!")).toBe(`it is [secret ${name}], [secret ${name}]!`);
  },
);

it("[S17] text without a secret stays", () => {
  const env = {
    PATH: "/usr/local/bin",
    HOME: "/home/me",
    KEYBOARD: "us-international",
    MONKEY: "chimpanzee",
    EMPTY_TOKEN: "",
    SHORT_KEY: "abc",
    GONE_TOKEN: undefined,
  };
  const text = "/usr/local/bin /home/me us-international chimpanzee abc";
  expect(createRedactor(env)(text)).toBe(text);
});

it("[S16] a secret that contains another is replaced", () => {
  const redact = createRedactor({ A_KEY: "abcdefg1", B_KEY: "abcdefg1-longer" });
  expect(redact("abcdefg1-longer abcdefg1")).toBe("[secret B_KEY] [secret A_KEY]");
});

it("[S16] special characters of patterns are plain characters", () => {
  const redact = createRedactor({ A_KEY: "a.c$&*(x)[y]" });
  expect(redact("a.c$&*(x)[y] abc$&*(x)[y]")).toBe("[secret A_KEY] abc$&*(x)[y]");
});

it("[S7] what an agent or a utility printed is written without it", async () => {
  const runDir = scratchFolder();
  const artifacts = createFileArtifacts(layoutInFolder(runDir), {
    redact: createRedactor({ OPENAI_API_KEY: "sk-1234567890" }),
  });
  const at = [socket("Socket-1"), 1] as const;
  await artifacts.write(...at, "stdout.txt", "export OPENAI_API_KEY=sk-1234567890\n");
  await artifacts.append(...at, "stdout.txt", "sk-1234567890\n");
  expect(readFileSync(join(runDir, "sockets", "Socket-1", "1", "stdout.txt"), "utf8")).toBe(
    "export OPENAI_API_KEY=[secret OPENAI_API_KEY]\n[secret OPENAI_API_KEY]\n",
  );
});

it.each<[rule: string, env: Record<string, string>, printed: string]>([
  [
    "[S7] an address with a password",
    { DATABASE_URL: "postgres://me:s3cr3t@db:5432/x" },
    "postgres://me:s3cr3t@db:5432/x",
  ],
  [
    "[S7] the password of an address alone",
    { DATABASE_URL: "postgres://me:s3cr3t@db:5432/x" },
    "PGPASSWORD is s3cr3t.",
  ],
  ["[S16] a password as an address spells it", { REDIS_URI: "redis://:p%40ss-w0rd@h" }, "p@ss-w0rd"],
  ["[S17] a short value", { DB_PASSWORD: "hunter2" }, "the password is hunter2"],
  ["[S7] a value that is not short, inside a longer word", { DB_PASSWORD: "hunter22" }, "xhunter22x"],
  ["[S7] a sentence", { VAULT_PASSPHRASE: "correct horse battery staple" }, "say correct horse battery staple"],
  ["[S16] JSON inside JSON", { A_TOKEN: 'a"b\\c-d/e12' }, JSON.stringify(JSON.stringify({ x: 'a"b\\c-d/e12' }))],
  ["[S16] letters as escapes", { A_TOKEN: "pässwörter-1" }, String.raw`p\u00e4ssw\u00f6rter-1`],
  ["[S16] part of an address", { A_TOKEN: "a+b/c=d&e 9" }, `https://h/?t=${encodeURIComponent("a+b/c=d&e 9")}`],
  ["[S16] base64", { A_TOKEN: "tok-1234567890" }, Buffer.from("tok-1234567890").toString("base64")],
  ["[S16] base64 behind a user", { A_TOKEN: "tok-1234567890" }, Buffer.from("me:tok-1234567890\n").toString("base64")],
  ["[S16] base64 of an address", { A_TOKEN: "tok-?>?>?>?>56" }, Buffer.from("x:tok-?>?>?>?>56").toString("base64url")],
  ["[S16] hex", { A_TOKEN: "tok-1234567890" }, Buffer.from("tok-1234567890").toString("hex")],
])("%s is kept out of every text", (_rule, env, printed) => {
  const clean = createRedactor(env)(printed);
  expect(clean).toContain(`[secret ${Object.keys(env)[0]}]`);
  for (const value of Object.values(env)) expect(clean).not.toContain(value);
});

it.each<[rule: string, env: Record<string, string>, text: string]>([
  ["[S17] an ordinary word", { DEPLOY_KEY: "production" }, "build-production-eu"],
  ["[S17] ordinary words", { DEPLOY_KEY: "production-eu-west" }, "to production-eu-west"],
  ["[S17] a word under a name that says secret", { AUTH_TOKEN: "disabled" }, "tokens are disabled"],
  ["[S17] a number", { TOKEN_LIMIT: "200000", MAX_TOKENS: "4096" }, "200000 of 4096"],
  ["[S17] a version", { KEY_VERSION: "v1.22.333" }, "v1.22.333"],
  ["[S17] an address without a password", { SERVICE_URL: "https://example.org/a" }, "see https://example.org/a"],
  ["[S17] a folder", { PWD: "/home/me/work-1", OLDPWD: "/home/me/w0rk" }, "in /home/me/work-1 and /home/me/w0rk"],
  ["[S17] a short value inside a longer word", { DB_PASSWORD: "abc1" }, "abc12 xabc1"],
])("%s is no secret", (_rule, env, text) => {
  expect(createRedactor(env)(text)).toBe(text);
});

it("[S7] keys that stand in no variable are learnt", () => {
  const redact = createRedactor({});
  expect(redact("sk-live-123456")).toBe("sk-live-123456");
  registerSecrets([{ name: "key of acme", value: "sk-live-123456" }]);
  expect(redact("sk-live-123456")).toBe("[secret key of acme]");
});

it("[S7] the words of an event are redacted with their keys, and what it is made of is not", () => {
  const event: CastEvent = {
    seq: 1,
    at: "2026-01-01T00:00:00.000Z",
    type: "handoff_accepted",
    socket: socket("Socket-1"),
    visit: 1,
    handoff: { context: "it is s3cr3t-value", state: { "s3cr3t-value": ["s3cr3t-value"] } },
    found: "exact",
    dropped: [],
    usage: { input: 0, output: 0, cost: 0 },
  };
  expect(redactEvent(event, createRedactor({ A_KEY: "s3cr3t-value" }))).toEqual({
    ...event,
    handoff: { context: "it is [secret A_KEY]", state: { "[secret A_KEY]": ["[secret A_KEY]"] } },
  });
});

it("[S7] so are a reply that stands for a reason, and the item that a limit names", () => {
  const redact = createRedactor({ A_KEY: "s3cr3t-value" });
  const at = "2026-01-01T00:00:00.000Z";
  const said = (excerpt: string): CastEvent => ({
    seq: 1,
    at,
    type: "handoff_accepted",
    socket: socket("Socket-1"),
    visit: 1,
    handoff: { satisfied: false },
    found: "exact",
    dropped: [],
    excerpt,
    usage: { input: 0, output: 0, cost: 0 },
  });
  expect(redactEvent(said("no: s3cr3t-value"), redact)).toEqual(said("no: [secret A_KEY]"));
  const reached = (title: string): CastEvent => ({
    seq: 2,
    at,
    type: "limit_reached",
    limit: "maxRepairs",
    value: 1,
    where: { socket: socket("Socket-1"), item: { index: 0, title } },
  });
  expect(redactEvent(reached("use s3cr3t-value"), redact)).toEqual(reached("use [secret A_KEY]"));
});

it.each<[what: string, event: (words: string) => EventBody]>([
  ["the hint of a person at a rework limit", (hint) => ({ type: "limits_raised", allow: 1, hint })],
  ["a reply that a person edited", (reply) => ({ ...PLACE, type: "person_finished", reply })],
  ["the question to a person", (question) => ({ ...PLACE, type: "cast_waiting", question })],
])("[S7] %s is redacted", (_what, body) => {
  const event = (words: string): CastEvent => ({ seq: 1, at: "2026-01-01T00:00:00.000Z", ...body(words) });
  const redact = createRedactor({ A_KEY: "s3cr3t-value" });
  expect(redactEvent(event("use s3cr3t-value"), redact)).toEqual(event("use [secret A_KEY]"));
});

const LONG = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const wrap = (text: string, columns: number, end = "\n") =>
  text.match(new RegExp(`.{1,${columns}}`, "g"))?.join(end) ?? "";

it.each<[what: string, text: string]>([
  ["base64 of 76 columns", wrap(Buffer.from(`a header\n${LONG}\nand more text after it`).toString("base64"), 76)],
  ["base64 of 20 columns inside JSON", JSON.stringify(wrap(Buffer.from(`x=${LONG}!`).toString("base64"), 20))],
  ["hex of 60 columns", wrap(Buffer.from(LONG).toString("hex"), 60)],
  ["hex as od writes it", wrap(Buffer.from(LONG).toString("hex").toUpperCase(), 2, " ")],
])("[S16] a secret as %s is replaced", (_what, text) => {
  const redacted = createRedactor({ A_TOKEN: LONG })(text);
  expect(redacted).toContain("[secret A_TOKEN]");
  const seen = redacted.replaceAll(/\s|\\n/g, "").toLowerCase();
  for (const coded of ["hex", "base64"] as const)
    expect(seen).not.toContain(Buffer.from(LONG).toString(coded).slice(12, 40).toLowerCase());
});

it("[S16] a wrapped secret that arrives in pieces is never shown", () => {
  const text = wrap(Buffer.from(LONG).toString("hex"), 60);
  const stream = createRedactedStream({ A_TOKEN: LONG });
  const shown = [...(text.match(/[\s\S]{1,7}/g) ?? []).map((piece) => stream.push(piece)), stream.end()].join("");
  expect(shown).toBe("[secret A_TOKEN]");
});
