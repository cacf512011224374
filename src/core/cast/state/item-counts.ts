/**
 * Counts for the items of a list, by index, then by name. A change copies one page and the list of pages, so that a
 * step costs the same after any number of items.
 */
export type CountsByItem = readonly CountPage[];

type CountPage = readonly (NamedCounts | null)[];

export type NamedCounts = Readonly<Record<string, number>>;

const PAGE = 64;
const NO_PAGE: CountPage = [];
const NO_COUNTS: NamedCounts = {};

export const NO_ITEM_COUNTS: CountsByItem = [];

export function itemCount(counts: CountsByItem, index: number, name: string): number {
  return counts[Math.floor(index / PAGE)]?.[index % PAGE]?.[name] ?? 0;
}

/** All counts of an item. */
export function countsOfItem(counts: CountsByItem, index: number): NamedCounts {
  return counts[Math.floor(index / PAGE)]?.[index % PAGE] ?? NO_COUNTS;
}

/** Raises the counts of an item to these. */
export function withItemCounts(counts: CountsByItem, index: number, named: NamedCounts): CountsByItem {
  return Object.entries(named).reduce((all, [name, count]) => {
    const had = itemCount(all, index, name);
    return had === count ? all : addItemCount(all, index, name, count - had);
  }, counts);
}

export function addItemCount(counts: CountsByItem, index: number, name: string, times: number): CountsByItem {
  const [at, place] = [Math.floor(index / PAGE), index % PAGE];
  const pages = counts.slice();
  while (pages.length <= at) pages.push(NO_PAGE);
  const page = (pages[at] ?? NO_PAGE).slice();
  while (page.length <= place) page.push(null);
  const counted = page[place] ?? NO_COUNTS;
  const changed = { ...counted, [name]: (counted[name] ?? 0) + times };
  // Most items go the same way as the one before and share its counts object: a bookmark stores it once.
  const before = page[place - 1];
  page[place] = before && isSame(before, changed) ? before : changed;
  pages[at] = page;
  return pages;
}

function isSame(a: NamedCounts, b: NamedCounts): boolean {
  for (const name in a) if (a[name] !== b[name]) return false;
  for (const name in b) if (a[name] === undefined) return false;
  return true;
}
