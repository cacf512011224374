/** `2 of 3`, and beyond the limit what a person allowed. */
export function countOfLimitText(count: number, limit: number): string {
  return count <= limit ? `${count} of ${limit}` : `${count} of ${limit} + ${count - limit} allowed`;
}
