/** The URL holds the whole state of a page: filters, order and position. Components read it from here and change it by navigating. */
import { computed, signal } from "@preact/signals";

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const current = signal(new URL(location.href));

export const path = computed(() => current.value.pathname);
export const search = computed(() => current.value.searchParams);

/** A link within the dashboard; parts of the query that are undefined or empty are left out. */
export const href = (to: string, query: Query = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" || value === false
      ? []
      : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? to : `${to}?${new URLSearchParams(pairs).toString()}`;
};

/** This page with another query: the members given replace those that are there, and the position is forgotten. */
export const hrefWith = (change: Query): string => {
  const kept: Record<string, readonly string[]> = {};
  for (const name of search.value.keys()) if (name !== "cursor") kept[name] = search.value.getAll(name);
  return href(path.value, { ...kept, ...change });
};

export const navigate = (to: string, { replaces = false } = {}): void => {
  const url = new URL(to, location.origin);
  if (url.href === location.href) return;
  history[replaces ? "replaceState" : "pushState"](null, "", url);
  const isOtherPage = url.pathname !== current.value.pathname;
  current.value = url;
  if (isOtherPage) scrollTo(0, 0);
};

/** Values of one parameter, as a list. */
export const values = (name: string): readonly string[] => search.value.getAll(name);

export const value = (name: string): string | undefined => search.value.get(name) ?? undefined;

/** Names in the path: `/jobs/:job` and `/jobs/1` give `{ job: "1" }`. */
export const match = (pattern: string, at: string): Readonly<Record<string, string>> | undefined => {
  const wanted = pattern.split("/");
  const given = at.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index]!;
    if (part.startsWith(":")) found[part.slice(1)] = decoded(text);
    else if (part !== text) return undefined;
  }
  return found;
};

/** A text with a `%` that begins no escape is a name that nothing has. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Links of the dashboard change the page without loading it again; others, and those with a modifier key, work as usual. */
const follow = (event: MouseEvent): void => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (/^\/(v1|docs|openapi\.json|metrics|problems)(\/|$)/.test(link.pathname)) return;
  event.preventDefault();
  navigate(link.href);
};

export const startRouter = (): void => {
  addEventListener("popstate", () => {
    current.value = new URL(location.href);
  });
  document.addEventListener("click", follow);
};
