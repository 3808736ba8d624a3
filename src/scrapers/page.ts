import type { AnyScraper, StandardSchema } from "./scraper.ts";

/** Checked by hand: the built-in scraper starts without loading a schema library. */
const urlInput: StandardSchema<unknown, { readonly url: string }> = {
  "~standard": {
    version: 1,
    vendor: "sluice",
    validate: (value) => {
      const url = typeof value === "object" && value !== null && "url" in value ? value.url : undefined;
      if (typeof url !== "string" || url === "")
        return { issues: [{ message: "required: a column or property with the page's URL", path: ["url"] }] };
      if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
        return { issues: [{ message: `not an http or https URL: ${url.slice(0, 200)}`, path: ["url"] }] };
      return { value: { url } };
    },
  },
};

/** The built-in scraper: fetch a URL, keep it. A batch of URLs is a job of this one. */
export const page = {
  name: "page",
  input: urlInput,
  async collect({ input, http, keep }) {
    keep.page("page", await http.get((input as { url: string }).url));
  },
} satisfies AnyScraper;
