import { useSyncExternalStore } from "react";

/** Where the page is, as the part of the address behind `#`: `#/casts/20261115-102125-amlte`. */
interface PageRoute {
  readonly page: string;
  /** What of it, decoded: a cast id, the name of a loadout or materia. */
  readonly name: string | null;
  readonly search: URLSearchParams;
}

/** What a page is given: the name in the address (`#/loadouts/<name>`), or null. */
export type PageProps = Omit<PageRoute, "page">;

function parseRoute(hash: string): PageRoute {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page = "", ...rest] = path.split("/");
  return { page: page === "" ? "casts" : page, name: decodeName(rest.join("/")), search: new URLSearchParams(search) };
}

export function hrefOf(page: string, name?: string, search: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(search).toString();
  return `#/${page}${name === undefined ? "" : `/${encodeURIComponent(name)}`}${query === "" ? "" : `?${query}`}`;
}

/** What is looked at goes into the address, so that it can be sent; it is no place of its own to go back to. */
export function replaceSearchParams(part: Readonly<Record<string, string | null>>): void {
  const [path = "", before = ""] = location.hash.split("?");
  const search = new URLSearchParams(before);
  for (const [name, value] of Object.entries(part)) {
    if (value === null) search.delete(name);
    else search.set(name, value);
  }
  const query = search.toString();
  const hash = query === "" ? path : `${path}?${query}`;
  if (hash !== location.hash) history.replaceState(history.state, "", hash);
}

/** A part of the address as it stands now. */
export function readSearchParam(name: string): string | null {
  return parseRoute(location.hash).search.get(name);
}

export function navigate(href: string): void {
  location.hash = href;
}

export function useRoute(): PageRoute {
  const hash = useSyncExternalStore(
    (listener) => {
      window.addEventListener("hashchange", listener);
      return () => window.removeEventListener("hashchange", listener);
    },
    () => location.hash,
  );
  return parseRoute(hash);
}

function decodeName(text: string): string | null {
  if (text === "") return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
