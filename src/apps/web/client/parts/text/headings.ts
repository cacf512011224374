import type { Token, Tokens } from "marked";

/** The heading above such a text is of the second level. */
const ABOVE = 2;

/** Levels for the headings of a text in a page: below the panel's own, and none left out on the way down. */
export function headingLevels(tokens: readonly Token[]): ReadonlyMap<Token, number> {
  let last = ABOVE;
  return new Map(
    tokens.filter(isHeading).map((token) => {
      last = Math.min(token.depth + ABOVE, last + 1, 6);
      return [token, last];
    }),
  );
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}
