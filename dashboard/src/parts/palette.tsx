/** Ctrl-K: finds pages, jobs, scrapers, lanes, and items by key. Nothing is searched by scanning: names are looked up, and short lists are filtered. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api, may } from "../api.ts";
import { PAGES } from "../pages.ts";
import { match, navigate, path } from "../router.ts";

const isOpen = signal(false);

export const openPalette = (): void => {
  isOpen.value = true;
};

interface Hit {
  readonly kind: string;
  readonly label: string;
  readonly to: string;
}

const MOST_HITS = 12;
const WAIT_MS = 150;

const pageHits = (text: string): Hit[] =>
  PAGES.filter(
    ({ nav, title }) => nav && (nav.role === undefined || may(nav.role)) && includes(title, text),
  ).map(({ title, path: to }) => ({ kind: "page", label: title, to }));

const includes = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase());

/** Nothing found is no error. */
const orNone = (hits: Promise<readonly Hit[]>): Promise<readonly Hit[]> => hits.catch(() => []);

const findHits = async (text: string): Promise<readonly Hit[]> => {
  if (text === "") return pageHits(text);
  const job = match("/jobs/:job", path.value.split("/").slice(0, 3).join("/"))?.["job"];
  const hits = await Promise.all([
    orNone(
      api
        .getJob(text)
        .then(({ id, scraper }) => [{ kind: "job", label: `${id} · ${scraper}`, to: `/jobs/${id}` }]),
    ),
    orNone(
      api.listJobs({ limit: 50 }).then(({ data }) =>
        data
          .filter(({ id, scraper }) => id !== text && (includes(id, text) || includes(scraper, text)))
          .slice(0, 5)
          .map(({ id, scraper }) => ({ kind: "job", label: `${id} · ${scraper}`, to: `/jobs/${id}` })),
      ),
    ),
    orNone(
      api.listScrapers({ limit: 100 }).then(({ data }) =>
        data
          .filter(({ name }) => includes(name, text))
          .slice(0, 5)
          .map(({ name }) => ({ kind: "scraper", label: name, to: `/scrapers/${encodeURIComponent(name)}` })),
      ),
    ),
    may("operator")
      ? orNone(
          api.listLanes({ prefix: text, limit: 5 }).then(({ data }) =>
            data.map(({ lane }) => ({
              kind: "lane",
              label: lane,
              to: `/lanes/${encodeURIComponent(lane)}`,
            })),
          ),
        )
      : [],
    job === undefined
      ? []
      : orNone(
          api
            .listItems(job, { key: text, limit: 5 })
            .then(({ data }) =>
              data.map(({ id, key }) => ({ kind: "item", label: key, to: `/jobs/${job}/items/${id}` })),
            ),
        ),
  ]);
  return [...pageHits(text), ...hits.flat()].slice(0, MOST_HITS);
};

export const Palette = (): VNode | null => (isOpen.value ? <Search /> : null);

const Search = (): VNode => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [hits, setHits] = useState<readonly Hit[]>([]);
  const [at, setAt] = useState(0);
  const close = (): void => {
    isOpen.value = false;
  };
  // At once: a letter that is typed next belongs to the search.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    let isOld = false;
    const look = async (): Promise<void> => {
      const found = await findHits(text.trim());
      if (isOld) return;
      setHits(found);
      setAt(0);
    };
    const timer = setTimeout(() => void look(), WAIT_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text]);
  const open = (hit: Hit | undefined): void => {
    if (!hit) return;
    close();
    navigate(hit.to);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((at + step + hits.length) % Math.max(1, hits.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      open(hits[at]);
    }
  };
  return (
    <dialog ref={dialog} class="palette" onClose={close} aria-label="Find">
      <input
        type="search"
        list={undefined}
        role="combobox"
        aria-label="Page, job, scraper, lane or key"
        aria-expanded="true"
        aria-controls="hits"
        aria-activedescendant={hits[at] && `hit-${at}`}
        placeholder="Page, job, scraper, lane or key"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <ul id="hits" role="listbox" aria-label="Found">
        {hits.map((hit, index) => (
          <li
            key={`${hit.kind} ${hit.to}`}
            id={`hit-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => open(hit)}
          >
            <span>{hit.label}</span> <span class="quiet">{hit.kind}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 && (
        <p class="quiet">
          Nothing found. To find a key, open the page of its job and enter the complete key.
        </p>
      )}
      <p class="quiet hint">
        <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd> · <kbd>g</kbd> and a letter opens a page:{" "}
        {PAGES.flatMap(({ nav, title }) => (nav ? [`${nav.key} ${title}`] : [])).join(", ")}
      </p>
    </dialog>
  );
};
