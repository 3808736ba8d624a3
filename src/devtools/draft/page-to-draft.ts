import { storedPage } from "../../collectors/http/page.ts";
import type { KeptPage } from "../../domain/capture.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { compileScraper } from "../../scrapers/compiled-scraper.ts";
import { tryItem } from "../try-item.ts";

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
