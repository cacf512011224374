/** [B24] What keys and tokens look like, whoever they belong to. Only shapes that nothing else has: a false alarm stops a delivery. */
const TOKEN_PATTERNS: readonly (readonly [kind: string, shape: RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  ["an access key of AWS", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ["a token of GitHub", /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})/],
  ["a token of GitLab", /\bglpat-[A-Za-z0-9_-]{20,}/],
  ["a token of Slack", /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/],
  ["a key of Anthropic", /\bsk-ant-[A-Za-z0-9_-]{24,}/],
  ["a key of OpenAI", /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}/],
  ["a key of Google", /\bAIza[A-Za-z0-9_-]{35}\b/],
  ["a key of Stripe", /\b[rs]k_live_[A-Za-z0-9]{24,}/],
  ["a token of npm", /\bnpm_[A-Za-z0-9]{36}\b/],
  ["a key of Hugging Face", /\bhf_[A-Za-z0-9]{34,}\b/],
];

export function tokenKindsIn(text: string): readonly string[] {
  return TOKEN_PATTERNS.flatMap(([kind, shape]) => (shape.test(text) ? [kind] : []));
}
