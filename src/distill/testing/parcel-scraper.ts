import { compileExtraction } from "../../extraction/extract-spec.ts";
import { field } from "../../extraction/field.ts";
import { by } from "../../extraction/place.ts";
import type { CompiledScraper } from "../../scrapers/compiled-scraper.ts";
import { absent, type AnyScraper } from "../../scrapers/scraper.ts";
import { DEFAULT_LIMITS } from "../../scrapers/scraper.ts";

const extract = {
  from: "detail",
  fields: {
    parcel: field.text("#parcel"),
    owner: field.text("#owner"),
    value: field.money("#value"),
    due: field.date("#due", { formats: ["MM/DD/YYYY"] }),
    exemptions: field.list("li").optional(),
    history: field.table("#history", {
      columns: { year: field.number(by.column("Year")), paid: field.money(by.column("Paid")) },
    }),
  },
};

/** Reads the pages of the script site in a browser. */
export const parcelScraper = (site: string): CompiledScraper => {
  const scraper = {
    kind: "browser",
    name: "parcels",
    site,
    input: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } },
    key: (input) => (input as { parcel: string }).parcel,
    pace: { perSecond: 1000, concurrency: 4 },
    robots: "ignore",
    extract,
    collect: async () => {
      throw absent();
    },
  } satisfies Partial<AnyScraper> as unknown as AnyScraper;
  return {
    scraper,
    source: "file:///parcels.scraper.ts",
    version: "1",
    pace: { perSecond: 1000, concurrency: 4, burst: 10 },
    limits: DEFAULT_LIMITS,
    extraction: compileExtraction(extract),
    emits: [],
    targets: new Map(),
  };
};
