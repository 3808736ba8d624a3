import type { Section } from "./reference-page.ts";

const COLLECTOR = "src/ports/collector.ts";
const FIELD_OPTIONS = "src/extraction/field-options.ts";
const EMIT = "src/scrapers/emit-to.ts";
const AND_ALL = "Besides what every field can be told.";

/** What the reference lists, in its order. */
export const SECTIONS: readonly Section[] = [
  {
    title: "A scraper: `defineScraper({ … })`",
    of: [["src/scrapers/scraper.ts", "Scraper"]],
  },
  { title: "`pace`", of: [["src/domain/pace.ts", "Pace"]] },
  {
    title: "`limits`",
    of: [
      [COLLECTOR, "Limits"],
      ["src/scrapers/scraper.ts", "ScraperLimits"],
    ],
  },
  {
    title: "`failures`: a row of the policy",
    says:
      "`{ timeout: { maxAttempts: 5, backoff: { firstMs: 500 } } }`. What is left out stays as it is; " +
      "[scrapers.md](scrapers.md#failures) has the kinds.",
    of: [["src/domain/failure-policy.ts", "FailurePolicy"]],
    without: ["retries"],
  },
  { title: "`backoff`", of: [["src/domain/backoff.ts", "Backoff"]] },
  {
    title: "What `collect` is given",
    of: [["src/scrapers/scraper.ts", "CollectContext"]],
  },
  {
    title: "`http`",
    says: "A `RequestBody` is `{ form: { … } }`, `{ json }` or `{ bytes, mediaType }`.",
    of: [[COLLECTOR, "Http"]],
  },
  { title: "Options of a request", of: [[COLLECTOR, "RequestOptions"]] },
  {
    title: "Options of `http.submit`",
    says: "Besides those of a request.",
    of: [[COLLECTOR, "SubmitOptions"]],
  },
  { title: "A page", of: [[COLLECTOR, "Page"]] },
  { title: "A form", of: [[COLLECTOR, "Form"]] },
  { title: "A file for a form", of: [[COLLECTOR, "FormFile"]] },
  { title: "`keep`", of: [[COLLECTOR, "Keep"]] },
  { title: "A kept file", of: [[COLLECTOR, "KeptFile"]] },
  { title: "The `extract` block", of: [["src/extraction/extract-spec.ts", "ExtractSpec"]] },
  {
    title: "`field.…`",
    says:
      "`Where` is a CSS selector, a place (`by.…`), or a list of them of which the first that finds a value wins. " +
      "Every field has `.optional()`. [Fields and what their status means](fields.md) tells how each reads.",
    functions: { file: "src/extraction/field.ts", name: "field" },
  },
  {
    title: "Options of every field",
    says: "`field.json` has no `pattern`. `field.table` and `field.each` have options of their own, below.",
    of: [["src/extraction/define-field.ts", "FieldOptions"]],
  },
  { title: "Options of `field.text` and `field.attr`", says: AND_ALL, of: [[FIELD_OPTIONS, "TextOptions"]] },
  {
    title: "Options of `field.number` and `field.percent`",
    says: AND_ALL,
    of: [[FIELD_OPTIONS, "NumberOptions"]],
  },
  {
    title: "Options of `field.number` alone",
    says: "Besides those.",
    of: [[FIELD_OPTIONS, "PlainNumberOptions"]],
  },
  {
    title: "Options of `field.money` and `field.currency`",
    says: "Besides those of every field, and for `field.money` `min` and `max`.",
    of: [[FIELD_OPTIONS, "MoneyWriting"]],
  },
  { title: "Options of `field.date`", says: AND_ALL, of: [[FIELD_OPTIONS, "DateOptions"]] },
  {
    title: "Options of `field.phone`",
    says: AND_ALL,
    of: [["src/extraction/reading/read-phone.ts", "PhoneStyle"]],
  },
  { title: "Options of `field.email`", says: AND_ALL, of: [[FIELD_OPTIONS, "EmailOptions"]] },
  { title: "Options of `field.list`", says: AND_ALL, of: [[FIELD_OPTIONS, "ListOptions"]] },
  {
    title: "Options of `field.table`",
    of: [
      ["src/extraction/table-field.ts", "TableOptions"],
      ["src/extraction/each-field.ts", "RowsOptions"],
    ],
  },
  { title: "Options of `field.each`", of: [["src/extraction/each-field.ts", "RowsOptions"]] },
  {
    title: "`by.…`: places of a field",
    says: "A path into JSON is written `a.b[0].c`, `a[].b` for all entries of a list, `a.*.b` for all members of an object; an index below zero counts from the end.",
    functions: { file: "src/extraction/place.ts", name: "by" },
  },
  {
    title: "Options of `by.label`, `by.regex` and `field.object`",
    of: [["src/extraction/place.ts", "Within"]],
  },
  {
    title: "A field of a record",
    says: "What the records of a job hold of each field.",
    of: [["src/domain/record.ts", "JudgedField"]],
  },
  {
    title: "An extract function: its tools",
    says:
      "`extract: (pages, tools) => record | records`. `read` has `text`, `number`, `money`, `percent`, `date`, `phone`, `email`, `url`, `list` " +
      'and `json`, each with the options of its field: `read.money(text, { locale: "de" })`. Relative addresses are those of the first page; ' +
      "`read.url(text, { page })` names another.",
    of: [["src/extraction/extract-function.ts", "ExtractTools"]],
  },
  {
    title: "What `read` gives",
    says: "As a member of a record it brings its status along.",
    of: [["src/extraction/read-value.ts", "Reading"]],
  },
  { title: "A kept page", of: [["src/domain/capture.ts", "KeptPage"]] },
  {
    title: "A document",
    says: "With `within`, a selector is relative to that element.",
    of: [["src/extraction/html-document.ts", "HtmlDocument"]],
  },
  {
    title: "`emitTo(target, { … })` by fields",
    says: '`target` is another scraper, or `"self"`.',
    of: [[EMIT, "EmitFields"]],
  },
  { title: "`emitTo(target, { … })` by a function", of: [[EMIT, "EmitFunction"]] },
  { title: "What that function is given", of: [[EMIT, "EmitContext"]] },
  {
    title: "`sluice.config.ts`: `defineConfig({ … })`",
    of: [["src/config/define-config.ts", "Config"]],
  },
];
