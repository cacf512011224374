import { useSyncExternalStore } from "react";

/** The location of the page in the part of the address after `#`: `#/casts/20261115-102125-amlte`. */
export interface PageRoute {
  readonly page: string;
  /** The decoded name: a cast id, a loadout or a materia. */
  readonly name: string | null;
  readonly search: URLSearchParams;
}

export type PageProps = Omit<PageRoute, "page">;

export function parseRoute(hash: string): PageRoute {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page = "", ...rest] = path.split("/");
  return { page: page === "" ? "casts" : page, name: decodeName(rest.join("/")), search: new URLSearchParams(search) };
}

export function hrefOf(page: string, name?: string, search: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(search).toString();
  return `#/${page}${name === undefined ? "" : `/${encodeURIComponent(name)}`}${query === "" ? "" : `?${query}`}`;
}

/** Writes the shown state into the address, so that it can be shared, without a step in the history. */
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
