import { storedPage } from "../../collectors/http/page.ts";
import type { KeptPage } from "../../domain/capture.ts";
import type { HtmlDocument } from "../../extraction/html-document.ts";
import { parsePage } from "../../extraction/parse-page.ts";
import { compileScraper } from "../../scrapers/compiled-scraper.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { tryItem } from "../try-item.ts";
import type { Candidate, Origin } from "./field-draft.ts";
import { findJsonLd, findLinks, findNext, findPageFacts } from "./find-json-ld.ts";
import { findLabels } from "./find-labels.ts";
import { findLists, findRows, findTables } from "./find-rows.ts";
import { blotSecrets, guessInput, withoutSecrets } from "./guess-input.ts";
import { pageStyle } from "./guess-kind.ts";
import { fieldName, nameFields, type VerifiedField, verifyFields } from "./verify-fields.ts";
import { type ScraperDraft, writeScraper } from "./write-scraper.ts";

export interface Draft extends ScraperDraft {
  readonly source: string;
}

interface DraftOptions {
  readonly name: string;
  /** The requested URL, if the site redirected it. */
  readonly asked?: string;
  /** The input's name, if it must not be guessed. */
  readonly input?: string;
}

const MOST_FIELDS = 40;
/** A page that repeats a block and has fewer labels than this is a listing. */
const FEW_LABELS = 3;

/** Drafts a scraper from one of its pages. Every drafted field has been extracted from that page. */
export const draftScraper = (page: KeptPage, { name, asked, input }: DraftOptions): Draft => {
  const { url, leftOut } = withoutSecrets(addressOf(page, asked ?? page.url));
  const document = parsePage(page);
  const { each, next, fields } = proposeFields(page, document);
  const shown = fields.map((field) => ({ ...field, sample: blotSecrets(field.sample) }));
  const draft: ScraperDraft = {
    name,
    site: url.origin,
    input: guessInput(url, input),
    leftOut,
    ...(each !== undefined && { each }),
    ...(next !== undefined && { next }),
    fields: nameFields(shown.slice(0, MOST_FIELDS), url),
  };
  return { ...draft, source: writeScraper(draft) };
};

/** What the scraper will request: the given URL, but on the host that the site redirects to. */
const addressOf = (page: KeptPage, asked: string): URL => {
  const [from, to] = [new URL(asked), new URL(page.url)];
  const url = from.pathname + from.search === to.pathname + to.search ? to : from;
  // User name and password must not be in a file, and the site does not see the fragment.
  for (const part of ["hash", "username", "password"] as const) url[part] = "";
  return url;
};

interface Proposed extends Pick<ScraperDraft, "each" | "next"> {
  readonly fields: readonly VerifiedField[];
}

const proposeFields = (page: KeptPage, document: HtmlDocument): Proposed => {
  const style = pageStyle(document);
  const things = findJsonLd(document);
  const labels = findLabels(document, style);
  const rows = things.length === 0 && labels.length < FEW_LABELS ? findRows(document, style) : undefined;
  if (rows !== undefined) {
    const fields = verifyFields(page, rows.fields, rows.each);
    const next = findNext(document);
    if (fields.length > 0) return { each: rows.each, fields, ...(next !== undefined && { next }) };
  }
  const candidates: readonly Candidate[] = [
    ...things,
    ...labels,
    ...findPageFacts(document),
    ...findTables(document, style),
    ...findLists(document),
    ...findLinks(document),
  ];
  return { fields: withoutEchoes(verifyFields(page, candidates)) };
};

/** Drops what a better origin has already found. */
const ECHOES: ReadonlySet<Origin> = new Set(["heading", "meta", "list"]);

/** Two candidates with one name are one field: the first is better. */
const withoutEchoes = (fields: readonly VerifiedField[]): VerifiedField[] => {
  const names = new Set<string>();
  const samples = new Set<string>();
  return fields.filter(({ candidate: { label, from }, sample }) => {
    const name = fieldName(label) ?? "";
    const isEcho = ECHOES.has(from)
      ? names.has(name) || samples.has(sample)
      : names.has(name) && samples.has(sample);
    names.add(name);
    samples.add(sample);
    return !isEcho;
  });
};

interface PageRequest extends Pick<
  Parameters<typeof tryItem>[0],
  "openStorage" | "laneOf" | "job" | "signal"
> {
  readonly url: string;
}

/** Fetches the page as one item of the built-in scraper `page`: paced and archived. Says why if that fails. */
export const fetchPage = async (request: PageRequest): Promise<KeptPage | { readonly problem: string }> => {
  const { url, ...trial } = request;
  const tried = await tryItem({
    ...trial,
    ready: await compileScraper(await loadScraper("page")),
    input: { url },
    onOutput: () => undefined,
    watcher: { onWait: () => undefined, onStep: () => undefined },
  });
  if ("rejected" in tried) return { problem: tried.rejected };
  const [page] = tried.pages;
  if (tried.outcome === "done" && page !== undefined) return page;
  const { failure, outcome } = tried;
  return { problem: failure === undefined ? outcome : `${failure.kind}, ${failure.detail}` };
};

/** A page that was saved from a browser, in the charset that it declares. */
export const savedPage = (bytes: Uint8Array, url: string): KeptPage =>
  storedPage("page", { url, status: 200, headers: [["content-type", "text/html"]], body: bytes });
