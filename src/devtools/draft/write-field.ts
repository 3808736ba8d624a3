import type { DraftPlace, FieldDraft } from "./field-draft.ts";
import type { KindOptions } from "./guess-kind.ts";
import { literal } from "./source-text.ts";

/** A field's definition as source code, on one line but for the columns of a table. */
export const writeField = (draft: FieldDraft, indent: string): string => {
  if (draft.type === "table") {
    const columns = Object.entries(draft.columns).map(
      ([name, column]) => `${indent}    ${name}: ${writeField(column, indent)},\n`,
    );
    return `field.table(${literal(draft.css)}, {\n${indent}  columns: {\n${columns.join("")}${indent}  },\n${indent}})`;
  }
  const options = draft.options === undefined ? "" : `, ${writeOptions(draft.options)}`;
  return `field.${draft.type}(${writePlace(draft.place)}${options})`;
};

const writeOptions = ({ formats, locale, country }: KindOptions): string => {
  const parts = [
    ...(formats === undefined ? [] : [`formats: [${formats.map(literal).join(", ")}]`]),
    ...(locale === undefined ? [] : [`locale: ${literal(locale)}`]),
    ...(country === undefined ? [] : [`country: ${literal(country)}`]),
  ];
  return `{ ${parts.join(", ")} }`;
};

/** Where it looks, for people: `#market`, `label "Market value"`. */
export const whereText = (draft: FieldDraft): string => {
  if (draft.type === "table") return draft.css;
  const { place } = draft;
  if ("css" in place) return place.css;
  if ("label" in place)
    return `label "${place.label}"${place.within === undefined ? "" : ` in ${place.within}`}`;
  if ("jsonLd" in place) return `json-ld ${place.jsonLd}.${place.path}`;
  return "meta" in place ? `meta ${place.meta}` : `column "${place.column}"`;
};

/** As it stands in a scraper: `"#market"`, `by.label("Market value")`. */
const writePlace = (place: DraftPlace): string => {
  if ("css" in place) return literal(place.css);
  if ("label" in place) {
    const within = place.within === undefined ? "" : `, { within: ${literal(place.within)} }`;
    return `by.label(${literal(place.label)}${within})`;
  }
  if ("jsonLd" in place) return `by.jsonLd(${literal(place.jsonLd)}, ${literal(place.path)})`;
  return "meta" in place ? `by.meta(${literal(place.meta)})` : `by.column(${literal(place.column)})`;
};
