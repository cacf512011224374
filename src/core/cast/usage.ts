/** What turns cost; tokens as the provider counts them, cost in dollars. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cost: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cost: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { input: a.input + b.input, output: a.output + b.output, cost: a.cost + b.cost };
}

export function tokensOf(usage: Usage): number {
  return usage.input + usage.output;
}
