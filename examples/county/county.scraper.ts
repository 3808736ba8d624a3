import { absent, defineScraper, field } from "sluice-jobs";
import { z } from "zod";

export default defineScraper({
  name: "county",
  site: process.env["COUNTY_URL"] ?? "http://127.0.0.1:8700",
  input: z.object({ parcel: z.string().regex(/^\d{10}$/) }),
  key: ({ parcel }) => parcel,
  // A site on your own machine; a real county is asked for about five pages a second.
  pace: { perSecond: 400, concurrency: 16 },
  // More than any good page needs: give up early on the rest, and retry soon.
  limits: { requestMs: 2500, bodyBytes: 2_000_000, decodedBytes: 5_000_000 },
  failures: {
    timeout: { maxAttempts: 2, backoff: { firstMs: 500 } },
    maintenance: { maxAttempts: 3, backoff: { firstMs: 500 } },
  },

  async collect({ input, http, keep }) {
    const search = await http.get("/search");
    const hits = await http.submit(search.form("#search"), { parcel: input.parcel });
    if (hits.has(".no-results")) throw absent();
    const detail = await http.get(hits.link("a.detail"));
    keep.page("detail", detail);
    // Judge the page before looking for its links: a redesign is a changed structure, not a navigation failure.
    if (detail.has("a.bill-pdf")) await keep.file("bill", detail.link("a.bill-pdf"));
  },

  extract: {
    from: "detail",
    fields: {
      parcel: field.text("#lblParcel"),
      owner: field.text("#account .owner"),
      situs: field.text("#account .situs"),
      legalClass: field.text("#account .legal-class"),
      marketValue: field.money("#market"),
      assessedValue: field.money("#assessed"),
      taxRate: field.percent("#taxes .rate", { min: 0, max: 100 }),
      taxDue: field.money("#taxdue"),
      taxYear: field.number("#taxyear"),
      dueDate: field.date("#taxes .due-date", { formats: ["MM/DD/YYYY"] }),
      exemptions: field.list("li.exemption").optional(),
    },
  },
});
