import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";
import { FIELDS } from "../site/fields.ts";

/** All steps at full speed: robots.txt is obeyed, every response is archived, eight fields are read and judged. */
export default defineScraper({
  name: "bench-property",
  site: process.env["BENCH_SITE"] ?? "http://127.0.0.1",
  input: z.object({ parcel: z.string().regex(/^\d+$/) }),
  key: ({ parcel }) => parcel,
  pace: { perSecond: Infinity, concurrency: 64 },
  proxies: (process.env["BENCH_PROXIES"] ?? "direct").split(","),
  async collect({ input, http, keep }) {
    keep.page("detail", await http.get(`/parcel/${input.parcel}`));
  },
  extract: {
    from: "detail",
    fields: {
      parcel: field.text(FIELDS.parcel),
      owner: field.text(FIELDS.owner),
      situs: field.text(FIELDS.situs),
      year: field.number(FIELDS.year),
      assessed: field.money(FIELDS.assessed),
      tax: field.money(FIELDS.tax),
      status: field.text(FIELDS.status),
      lastPaid: field.date(FIELDS.lastPaid),
    },
  },
});
