import { defineScraper } from "sluice-jobs";
import { z } from "zod";
import { PACE } from "../pace.ts";
import county from "../../../../examples/county/county.scraper.ts";

const { limits, failures, extract } = county;

/** The county's own scraper, for a county that answers on several hosts. Each host is a lane. */
export default defineScraper({
  name: "county-hosts",
  input: z.object({ url: z.url(), parcel: z.string().regex(/^\d{10}$/) }),
  key: ({ parcel }) => parcel,
  pace: PACE,
  // Good pages may be slow on a busy machine.
  limits: { ...limits, requestMs: 8000 },
  ...(failures && { failures }),
  ...(extract && { extract }),

  async collect(context) {
    const { input, http } = context;
    const at = (path: string | URL): URL => new URL(path, input.url);
    await county.collect({
      ...context,
      http: {
        get: (path, options) => http.get(at(path), options),
        post: (path, body, options) => http.post(at(path), body, options),
        submit: (form, values, options) => http.submit(form, values, options),
      },
    } as Parameters<typeof county.collect>[0]);
  },
});
