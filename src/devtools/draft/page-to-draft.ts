import { storedPage } from "../../collectors/http/page.ts";
import type { KeptPage } from "../../domain/capture.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { compileScraper } from "../../scrapers/compiled-scraper.ts";
import { tryItem } from "../try-item.ts";

interface PageRequest {
  readonly url: string;
  readonly data: string;
  readonly job: string;
  readonly signal: AbortSignal;
}

/** Politely, and kept: one item of the built-in scraper `page`, in the data folder. Tells why where the page does not come. */
export const fetchPage = async (request: PageRequest): Promise<KeptPage | { readonly problem: string }> => {
  const { url, data, job, signal } = request;
  const tried = await tryItem({
    data,
    job,
    ready: await compileScraper(await loadScraper("page")),
    input: { url },
    signal,
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
