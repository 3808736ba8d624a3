import { defineScraper, emitTo, field } from "sluice-jobs";
import { z } from "zod";
import { failures, limits, pace } from "./manners.ts";
import town from "./mayors-town.scraper.ts";

/** One page of a region's listing: it leads to the other pages, and to the towns. */
export default defineScraper({
  name: "mayors-listing",
  input: z.object({ url: z.url() }),
  pace,
  limits,
  failures,

  async collect({ input, http, keep }) {
    keep.page("listing", await http.get(input.url));
  },

  emit: [
    // Each page links to all others, and each is taken once. A small region has only one.
    emitTo("self", { each: ".pages li", input: { url: field.url("a") }, min: 0 }),
    // A town on a border stands in two listings, with its own region in both.
    emitTo(town, {
      each: "table.communes tbody tr",
      input: { url: field.url(".commune a"), region: field.text(".region"), town: field.text(".commune") },
    }),
  ],
});
