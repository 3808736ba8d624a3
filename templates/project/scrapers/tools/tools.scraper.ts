import { absent, by, defineScraper, field } from "sluice-jobs";
import { z } from "zod";

export default defineScraper({
  name: "tools",
  // Served by `node site.js`.
  site: process.env["TOOLS_URL"] ?? "http://127.0.0.1:8765",
  input: z.object({ tool: z.string().regex(/^\d+$/) }),
  key: ({ tool }) => tool,
  // Your own site. For a public site, choose one or two pages a second.
  pace: { perSecond: 50, concurrency: 4 },

  async collect({ input, http, keep }) {
    const page = await http.get(`/tools/${input.tool}`, { accept: [404] });
    // The site says that there is no such tool: an outcome, not a failure.
    if (page.status === 404) throw absent();
    keep.page("tool", page);
  },

  extract: {
    from: "tool",
    fields: {
      name: field.text("h1"),
      shelf: field.text(by.label("Shelf number"), { pattern: /^T-\d{3}$/ }),
      deposit: field.money(".deposit"),
      weightKg: field.number(".weight", { min: 0 }),
      onLoanUntil: field.date(".due", { formats: ["MM/DD/YYYY"] }),
      goodFor: field.list(".uses li").optional(),
    },
  },
});
