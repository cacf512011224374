/**
 * Counts for the items of a list: by their place in it, then by name. A change copies one page and the list of pages,
 * so that a step costs the same however many items came before.
 */
export type ItemCounts = readonly CountPage[];

type CountPage = readonly (NamedCounts | null)[];

type NamedCounts = Readonly<Record<string, number>>;

const PAGE = 64;
const NO_PAGE: CountPage = [];
const NO_COUNTS: NamedCounts = {};

export const NO_ITEM_COUNTS: ItemCounts = [];

export function itemCount(counts: ItemCounts, index: number, name: string): number {
  return counts[Math.floor(index / PAGE)]?.[index % PAGE]?.[name] ?? 0;
}

export function addItemCount(counts: ItemCounts, index: number, name: string, times: number): ItemCounts {
  const [at, place] = [Math.floor(index / PAGE), index % PAGE];
  const pages = counts.slice();
  while (pages.length <= at) pages.push(NO_PAGE);
  const page = (pages[at] ?? NO_PAGE).slice();
  while (page.length <= place) page.push(null);
  const counted = page[place] ?? NO_COUNTS;
  page[place] = { ...counted, [name]: (counted[name] ?? 0) + times };
  pages[at] = page;
  return pages;
}
