import { defineScraper, emitTo, field } from "sluice-jobs";
import { z } from "zod";
import listing from "./mayors-listing.scraper.ts";
import { failures, limits, pace } from "./manners.ts";

/** The start: the list of regions. It emits listings, and those emit towns, all in one job. */
export default defineScraper({
  name: "mayors",
  input: z.object({ url: z.url() }),
  pace,
  limits,
  failures,

  async collect({ input, http, keep }) {
    keep.page("regions", await http.get(input.url));
  },

  emit: [emitTo(listing, { each: "ul.regions li", input: { url: field.url("a") } })],
});
