import type { Section } from "./reference-page.ts";

const COLLECTOR = "src/ports/collector.ts";
const FIELD_OPTIONS = "src/extraction/field-options.ts";
const EMIT = "src/scrapers/compile-emit.ts";
const AND_ALL = "In addition to the options of every field.";

/** What the reference lists, in its order. */
export const SECTIONS: readonly Section[] = [
  {
    title: "A scraper: `defineScraper({ … })`",
    of: [["src/scrapers/scraper.ts", "Scraper"]],
  },
  { title: "`pace`", of: [["src/domain/job-version.ts", "Pace"]] },
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
      "`{ timeout: { maxAttempts: 5, backoff: { firstMs: 500 } } }`. Values that you omit keep their defaults; " +
      "[scrapers.md](scrapers.md#failures) lists the kinds.",
    of: [["src/domain/failure.ts", "FailurePolicy"]],
    without: ["retries"],
  },
  { title: "`backoff`", of: [["src/domain/retry.ts", "Backoff"]] },
  {
    title: "`checkAgainst`",
    says: "[From recording to HTTP](distill.md#it-keeps-checking) explains what is compared, and what happens if records differ.",
    of: [["src/scrapers/scraper.ts", "CheckSetting"]],
  },
  {
    title: "The context of `collect`",
    says: "It also has `http`, or `page` for scrapers of kind `browser` and `auto`.",
    of: [["src/scrapers/scraper.ts", "CollectBase"]],
  },
  {
    title: "`http`",
    says: "A `RequestBody` is `{ form: { … } }`, `{ json }` or `{ bytes, mediaType }`.",
    of: [[COLLECTOR, "Http"]],
  },
  { title: "Options of a request", of: [[COLLECTOR, "RequestOptions"]] },
  {
    title: "Options of `http.submit`",
    says: "In addition to the options of a request.",
    of: [[COLLECTOR, "SubmitOptions"]],
  },
  { title: "A page", of: [[COLLECTOR, "Page"]] },
  { title: "A form", of: [[COLLECTOR, "Form"]] },
  { title: "A file for a form", of: [[COLLECTOR, "FormFile"]] },
  {
    title: "`page`",
    says: "Scrapers of kind `auto` have no `pdf` and no `playwright`. [Browser scrapers](browser.md) says what each verb costs.",
    of: [[COLLECTOR, "BrowserPage"]],
  },
  { title: "Options of `page.goto`", of: [[COLLECTOR, "GotoOptions"]] },
  { title: "Options of `page.ready`", of: [[COLLECTOR, "ReadyOptions"]] },
  { title: "Options of `page.click`", of: [[COLLECTOR, "ClickOptions"]] },
  { title: "`browser`", of: [[COLLECTOR, "BrowserOptions"]] },
  { title: "`keep`", of: [[COLLECTOR, "Keep"]] },
  { title: "A stored file", of: [[COLLECTOR, "KeptFile"]] },
  { title: "The `extract` block", of: [["src/extraction/extract-spec.ts", "ExtractSpec"]] },
  {
    title: "`field.…`",
    says:
      "`Where` is a CSS selector, a place (`by.…`), or a list of them: the first that finds a value wins. " +
      "Every field has `.optional()`. [Fields and what their status means](fields.md) explains how each one reads its value.",
    functions: { file: "src/extraction/field.ts", name: "field" },
  },
  {
    title: "Options of every field",
    says: "`field.json` has no `pattern`. `field.table` and `field.each` have their own options, below.",
    of: [["src/extraction/define-field.ts", "FieldOptions"]],
  },
  { title: "Options of `field.text` and `field.attr`", says: AND_ALL, of: [[FIELD_OPTIONS, "TextOptions"]] },
  {
    title: "Options of `field.number` and `field.percent`",
    says: AND_ALL,
    of: [[FIELD_OPTIONS, "NumberOptions"]],
  },
  {
    title: "Options of `field.number` only",
    says: "In addition to the options above.",
    of: [[FIELD_OPTIONS, "PlainNumberOptions"]],
  },
  {
    title: "Options of `field.money` and `field.currency`",
    says: "In addition to the options of every field and, for `field.money`, `min` and `max`.",
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
    says: "A path into JSON is written `a.b[0].c`, `a[].b` for all entries of a list, `a.*.b` for all members of an object; a negative index counts from the end.",
    functions: { file: "src/extraction/place.ts", name: "by" },
  },
  {
    title: "Options of `by.label`, `by.regex` and `field.object`",
    of: [["src/extraction/place.ts", "Within"]],
  },
  {
    title: "A field of a record",
    says: "How the records of a job store each field.",
    of: [["src/domain/record.ts", "JudgedField"]],
  },
  {
    title: "An extract function: its tools",
    says:
      "`extract: (pages, tools) => record | records`. `read` has `text`, `number`, `money`, `percent`, `date`, `phone`, `email`, `url`, `list` " +
      'and `json`, each with the options of its field: `read.money(text, { locale: "de" })`. Relative URLs are resolved against the first page; ' +
      "`read.url(text, { page })` uses another.",
    of: [["src/extraction/extract-function.ts", "ExtractTools"]],
  },
  {
    title: "The result of `read`",
    says: "As a member of a record, it keeps its status.",
    of: [["src/extraction/extract-function.ts", "Reading"]],
  },
  { title: "A stored page", of: [["src/domain/capture.ts", "KeptPage"]] },
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
  { title: "The context of that function", of: [[EMIT, "EmitContext"]] },
  {
    title: "`sluice.config.ts`: `defineConfig({ … })`",
    of: [["src/config/define-config.ts", "Config"]],
  },
];
