/** The known name that was probably meant, or nothing when none is close. */
export function nearestName(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const name = nearestName(word, known);
  return name === undefined ? undefined : `did you mean "${name}"?`;
}

function editDistance(a: string, b: string): number {
  // A hostile name is long; nothing near it is worth finding.
  if (a.length > 100 || b.length > 100) return 100;
  let beforeLast: readonly number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      // Two neighbours swapped are one slip, not two.
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(substitution, swapped, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    [beforeLast, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
