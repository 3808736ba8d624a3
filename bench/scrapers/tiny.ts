import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";

/** The smallest possible page, for jobs in which only the number of items matters. */
export default defineScraper({
  name: "bench-tiny",
  site: process.env["BENCH_SITE"] ?? "http://127.0.0.1",
  input: z.object({ parcel: z.string().regex(/^\d+$/) }),
  key: ({ parcel }) => parcel,
  pace: { perSecond: Infinity, concurrency: 64 },
  async collect({ input, http, keep }) {
    keep.page("detail", await http.get(`/tiny/${input.parcel}`));
  },
  extract: { from: "detail", fields: { owner: field.text("#owner") } },
});
