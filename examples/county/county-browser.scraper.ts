import { absent, defineScraper } from "sluice-jobs";
import { z } from "zod";
import county from "./county.scraper.ts";

// The same county through its scripted pages: the same keys, fields and records.
export default defineScraper({
  ...county,
  name: "county-browser",
  kind: "browser",
  input: z.object({ parcel: z.string().regex(/^\d{10}$/) }),
  key: ({ parcel }) => parcel,
  // The time of a page is also that of its scripts.
  limits: { ...county.limits, requestMs: 8000 },

  async collect({ input, page }) {
    await page.goto("/app");
    await page.ready("#app.shown");
    await page.fill("#parcel", input.parcel);
    await page.click("#go");
    if ((await page.ready([".no-results", "a.detail"])) === ".no-results") throw absent();
    await page.click("a.detail");
    // Of every layout: a redesign is a changed structure, not a page that never became ready.
    await page.ready("county-property");
    await page.keep("detail");
    if (await page.has("a.bill-pdf")) await page.download("bill", { click: "a.bill-pdf" });
  },
});
