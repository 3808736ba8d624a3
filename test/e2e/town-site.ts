import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export const PAGES = 25;
const PER_PAGE = 40;
/** Each page starts with the last towns of the page before it. */
const SHARED = 10;
export const TOWNS = PAGES * (PER_PAGE - SHARED) + SHARED;

const TOWN_FILE = `
import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "town",
  input: z.object({ url: z.string(), region: z.string(), name: z.string() }),
  pace: { perSecond: 400, concurrency: 16 },
  async collect({ input, http, keep }) { keep.page("town", await http.get(input.url)); },
  extract: { fields: { mayor: field.text("b") } },
});
`;
const LISTING_FILE = `
import { defineScraper, emitTo, field } from "sluice";
import { z } from "zod";
import town from "./town.scraper.ts";
export default defineScraper({
  name: "listing",
  input: z.object({ url: z.string(), region: z.string() }),
  pace: { perSecond: 1000, concurrency: 16 },
  async collect({ input, http, keep }) { keep.page("listing", await http.get(input.url)); },
  emit: [
    emitTo(town, { each: "li", input: { url: field.url("a"), name: field.text("a") }, with: ["region"] }),
    emitTo("self", { input: { url: field.url("a.next") }, with: ["region"] }),
  ],
});
`;

const listing = (page: number): string => {
  const first = page * (PER_PAGE - SHARED);
  const links = Array.from(
    { length: PER_PAGE },
    (_, i) => `<li><a href="/town/${first + i}">Town ${first + i}</a></li>`,
  );
  const next = page + 1 < PAGES ? `<a class="next" href="/list/${page + 1}">next</a>` : "";
  return `<h1>Towns</h1><ul>${links.join("")}</ul>${next}`;
};

/** Listings that link to each other and to towns. */
export class TownSite implements AsyncDisposable {
  readonly arrived: string[] = [];
  readonly #server: Server = createServer(({ url = "" }, response) => {
    if (url === "/robots.txt") return void response.writeHead(404).end();
    this.arrived.push(url);
    for (const { count, resolve } of this.#waiting) if (this.arrived.length >= count) resolve();
    const [, kind, n] = url.split("/");
    const html = kind === "list" ? listing(Number(n)) : `<p>Mayor: <b>Mayor of ${n}</b></p>`;
    response.setHeader("content-type", "text/html").end(html);
  });
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  static async open(): Promise<TownSite> {
    const site = new TownSite();
    await once(site.#server.listen(0, "127.0.0.1"), "listening");
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async arrivals(count: number): Promise<void> {
    if (this.arrived.length < count)
      await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Scraper files, inputs and a data folder. */
export const prepareTowns = (folder: string, site: TownSite, name: string) => {
  const own = mkdtempSync(join(folder, `${name}-`));
  const [scraper, town, input] = ["listing.scraper.ts", "town.scraper.ts", "start.csv"].map((file) =>
    join(own, file),
  ) as [string, string, string];
  writeFileSync(scraper, LISTING_FILE);
  writeFileSync(town, TOWN_FILE);
  writeFileSync(input, `url,region\n${site.url}/list/0,North\n`);
  const data = join(own, "data");
  return { scraper, town, data, run: ["run", scraper, "--input", input, "--data", data] };
};
