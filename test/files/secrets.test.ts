import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileArtifacts } from "../../src/shell/store/artifacts.ts";
import { redactor } from "../../src/shell/system/secrets.ts";
import { scratchFolder } from "../harness/agents.ts";
import { socket } from "../harness/seats.ts";

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
];

it.each(NAMES.map((name): [rule: string, name: string] => [`[S7] ${name}`, name]))(
  "%s is kept out of every text",
  (_rule, name) => {
    const redact = redactor({ [name]: "s3cr3t-value", PATH: "/usr/bin" });
    expect(redact("it is s3cr3t-value, s3cr3t-value!")).toBe(`it is [secret ${name}], [secret ${name}]!`);
  },
);

it("[S7] what is no secret stays", () => {
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
  expect(redactor(env)(text)).toBe(text);
});

it("[S7] a secret inside another is no way out", () => {
  const redact = redactor({ A_KEY: "abcdefgh", B_KEY: "abcdefgh-longer" });
  expect(redact("abcdefgh-longer abcdefgh")).toBe("[secret B_KEY] [secret A_KEY]");
});

it("[S7] signs that mean something to patterns are just signs", () => {
  const redact = redactor({ A_KEY: "a.c$&*(x)[y]" });
  expect(redact("a.c$&*(x)[y] abc$&*(x)[y]")).toBe("[secret A_KEY] abc$&*(x)[y]");
});

it("[S7] what an agent or a utility printed is written without it", async () => {
  const runDir = scratchFolder();
  const artifacts = fileArtifacts(runDir, redactor({ OPENAI_API_KEY: "sk-1234567890" }));
  const at = [socket("Socket-1"), 1] as const;
  await artifacts.write(...at, "stdout.txt", "export OPENAI_API_KEY=sk-1234567890\n");
  await artifacts.append(...at, "stdout.txt", "sk-1234567890\n");
  expect(readFileSync(join(runDir, "sockets", "Socket-1", "1", "stdout.txt"), "utf8")).toBe(
    "export OPENAI_API_KEY=[secret OPENAI_API_KEY]\n[secret OPENAI_API_KEY]\n",
  );
});
