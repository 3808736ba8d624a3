import { by, defineScraper, field } from "sluice-jobs";
import { z } from "zod";
import { failures, limits, pace } from "./manners.ts";

const nothing = { placeholders: ["non renseigné"] };

/** The detail phase: one town's page. Region and name come from the listing that it was found in. */
export default defineScraper({
  name: "mayors-town",
  input: z.object({ url: z.url(), region: z.string(), town: z.string() }),
  pace,
  limits,
  failures,

  async collect({ input, http, keep }) {
    keep.page("town", await http.get(input.url));
  },

  extract: {
    from: "town",
    fields: {
      mayor: field.text(by.label("Maire")),
      address: field.text(by.label("Adresse de la mairie")),
      phone: field.phone(by.label("Téléphone"), { ...nothing, country: "FR" }),
      email: field.email(by.label("E-mail"), nothing),
      website: field.url(by.label("Site internet"), nothing),
    },
  },
});
