import type { Token, Tokens } from "marked";

/** Levels for the headings of a text in a page: below the one above it, and none left out on the way down. */
export function headingLevels(tokens: readonly Token[], above: number): ReadonlyMap<Token, number> {
  let last = above;
  return new Map(
    tokens.filter(isHeading).map((token) => {
      last = Math.min(token.depth + above, last + 1, 6);
      return [token, last];
    }),
  );
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}
