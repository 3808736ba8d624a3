import { compileExtraction } from "../../src/extraction/extract-spec.ts";
import type { KeptPage } from "../../src/domain/capture.ts";
import { type Cell, drawCell } from "./cell.ts";
import { type Column, siteColumns } from "./column.ts";
import { LABELLED_LAYOUTS } from "./labelled-layouts.ts";
import { LOCALE_TAGS, LOCALES, type LocaleTag } from "./locale.ts";
import type { LayoutKind } from "./layout.ts";
import { escapeHtml, siteMarkup } from "./markup.ts";
import { type Random, seededRandom } from "./random.ts";
import { SELECTED_LAYOUTS } from "./selected-layouts.ts";

const LAYOUTS: readonly LayoutKind[] = [...LABELLED_LAYOUTS, ...SELECTED_LAYOUTS];

/** One site with its scraper, and as many of its pages as one likes. */
export interface Site {
  readonly tag: LocaleTag;
  readonly layout: string;
  readonly columns: readonly Column[];
  readonly extraction: ReturnType<typeof compileExtraction>;
  readonly page: (random: Random) => DrawnPage;
}

export interface DrawnPage {
  readonly kept: KeptPage;
  /** Per record, in the order of the site's columns. */
  readonly rows: readonly (readonly Cell[])[];
}

/** The site of this number: every locale in every layout comes up once in 180 numbers. */
export const drawSite = (seed: number, number: number): Site => {
  const random = seededRandom(seed * 100_003 + number);
  const tag = LOCALE_TAGS[number % LOCALE_TAGS.length]!;
  const kind = LAYOUTS[Math.floor(number / LOCALE_TAGS.length) % LAYOUTS.length]!;
  const { language, domain } = LOCALES[tag];
  const url = `https://www.site${number}.${domain}/facts/detail/7`;
  const columns = siteColumns(tag, kind.writing, url, random);
  const markup = siteMarkup(random);
  const hasTabs = random.chance(0.3);
  const layout = kind.build({ columns, markup, random, hasTabs });
  const extraction = compileExtraction({
    ...(layout.each !== undefined && { each: layout.each }),
    fields: Object.fromEntries(columns.map((column) => [column.name, column.field(layout.where(column))])),
  });
  const labels = columns.map(({ label }) => escapeHtml(label));
  const tabs = hasTabs
    ? `<ul class="tabs">${labels.map((label, i) => `<li><a href="#t${i}">${label}</a></li>`).join("")}</ul>`
    : "";
  return {
    tag,
    layout: kind.name,
    columns,
    extraction,
    page: (drawn) => {
      const rows = Array.from({ length: kind.recordsAPage }, () =>
        columns.map((column) => drawCell(column, drawn)),
      );
      const help = language.help.replace("@", drawn.pick(labels));
      const text = `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>${number}</title></head><body>
<div id="top"><h1>${number}</h1>${tabs}</div>
<div id="content">${layout.body(rows, drawn)}</div>
<div id="foot"><p>${help}</p><p>&copy; 2026</p></div></body></html>`;
      return { kept: { name: "page", url, status: 200, mediaType: "text/html", text }, rows };
    },
  };
};
