/** An address that a text may lead to; null for every other, whatever its letters look like to a browser. */
export function safeHref(href: string): string | null {
  const url = URL.parse(href);
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** The few signs that people write by name in plain text; every other name stays as it was written. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,6}));/g,
    (all, name: string | undefined, code?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? all;
      const point = Number(code);
      return point >= 32 && point <= 0xffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : all;
    },
  );
}
