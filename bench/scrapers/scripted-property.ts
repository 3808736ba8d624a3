import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";
import { SELECTORS, waitAndRead } from "../site/playwright-handler.ts";

const isIdentical = process.env["BENCH_HANDLER"] === "playwright";

/** Items that `collect` has finished, for the process that measures. */
const counter = globalThis as { collectedPages?: number };

/** One page of the scripted county for each item. With BENCH_HANDLER=playwright it uses the handler that Crawlee gets, too, and loads pictures as Crawlee does. */
export default defineScraper({
  name: "bench-scripted-property",
  kind: "browser",
  site: process.env["BENCH_SITE"] ?? "http://127.0.0.1",
  input: z.object({ url: z.string() }),
  key: ({ url }) => url,
  pace: { perSecond: Infinity, concurrency: 64 },
  browser: {
    isolation: process.env["BENCH_ISOLATION"] === "item" ? "item" : "job",
    ...(isIdentical && { load: ["image"] }),
  },
  async collect({ input, page }) {
    await page.goto(input.url);
    if (isIdentical) await waitAndRead(await page.playwright());
    else await page.ready("county-property");
    await page.keep("detail");
    counter.collectedPages = (counter.collectedPages ?? 0) + 1;
  },
  extract: {
    from: "detail",
    fields: {
      parcel: field.text(SELECTORS.parcel),
      owner: field.text(SELECTORS.owner),
      situs: field.text(SELECTORS.situs),
      legalClass: field.text(SELECTORS.legalClass),
      marketValue: field.money(SELECTORS.marketValue),
      assessedValue: field.money(SELECTORS.assessedValue),
      taxDue: field.money(SELECTORS.taxDue),
      dueDate: field.date(SELECTORS.dueDate, { formats: ["MM/DD/YYYY"] }),
    },
  },
});
