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
  /** The address that was asked for, where the site sent on to another. */
  readonly asked?: string;
  /** The input's name, where it shall not be guessed. */
  readonly input?: string;
}

const MOST_FIELDS = 40;
/** With fewer labels than this, a page that repeats a block is a listing. */
const FEW_LABELS = 3;

/** Drafts a scraper from one of its pages. Every field in it was extracted from that page as it is written. */
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

/** What the scraper will ask for: as it was asked, but at once of the host that the site sends everybody to. */
const addressOf = (page: KeptPage, asked: string): URL => {
  const [from, to] = [new URL(asked), new URL(page.url)];
  const url = from.pathname + from.search === to.pathname + to.search ? to : from;
  // Neither is for the site to know, or for a file to keep.
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

/** Where pages repeat themselves: what a better origin has found already is not proposed again. */
const ECHOES: ReadonlySet<Origin> = new Set(["heading", "meta", "list"]);

/** What two ways found under one name is one field: the first found it better. */
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

/** Politely, and kept: one item of the built-in scraper `page`, in the data folder. Tells why where the page does not come. */
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

/** A page that was saved from a browser, in whatever charset it says. */
export const savedPage = (bytes: Uint8Array, url: string): KeptPage =>
  storedPage("page", { url, status: 200, headers: [["content-type", "text/html"]], body: bytes });
