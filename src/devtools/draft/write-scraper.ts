import { stripVTControlCharacters } from "node:util";
import type { DraftPlace, FieldDraft } from "./field-draft.ts";
import type { DraftInput } from "./guess-input.ts";
import type { KindOptions } from "./guess-kind.ts";
import type { VerifiedField } from "./verify-fields.ts";

export interface NamedField extends VerifiedField {
  readonly name: string;
}

export interface ScraperDraft {
  readonly name: string;
  readonly site: string;
  readonly input: DraftInput;
  /** URL parameters that look like secrets and are not in the draft. */
  readonly leftOut: readonly string[];
  readonly each?: string;
  /** The selector of the link from a listing to its next page. */
  readonly next?: string;
  readonly fields: readonly NamedField[];
}

const INDENT = "      ";

/** The scraper as source code. */
export const writeScraper = ({ name, site, input, leftOut, each, next, fields }: ScraperDraft): string => {
  const lines = fields.map(({ name: field, draft, isOptional, sample }) => {
    const definition = writeField(draft, INDENT) + (isOptional ? ".optional()" : "");
    return `${INDENT}${field}: ${definition}, ${valueComment(sample)}`;
  });
  const usesBy = lines.some((line) => /\bby\.\w+\(/.test(line));
  return `import { ${usesBy ? "by, " : ""}defineScraper, field } from "sluice-jobs";
import { z } from "zod";

export default defineScraper({
  name: ${literal(name)},
  site: ${literal(site)},
${inputLines(input)}
  // Polite for an unknown site.
  pace: { perSecond: 2, concurrency: 4 },

  async collect({ input, http, keep }) {
${leftOut.length === 0 ? "" : `    ${valueComment(leftOut.join(", "))}: left out of the address, as secrets.\n`}    const page = await http.get(${requestOf(input)});
    keep.page("page", page);
  },

  extract: {
    from: "page",
${each === undefined ? "" : `    each: ${literal(each)},\n`}    fields: {
${lines.join("\n")}
    },
  },
${next === undefined || "before" in input ? "" : nextLines(next)}});
`;
};

/** Only a comment: with it, one page of a listing becomes a job over all of them. */
const nextLines = (
  css: string,
): string => `  // To follow the link to the next page, also import emitTo from "sluice-jobs", and add:
  // emit: [emitTo("self", { from: "page", input: { url: field.url(${literal(css)}) } })],
`;

const inputLines = (input: DraftInput): string =>
  "before" in input
    ? `  input: z.object({ ${input.name}: z.string().min(1) }), ${valueComment(input.value)}
  key: ({ ${input.name} }) => ${input.name},`
    : `  input: z.object({ url: z.url() }), ${valueComment(input.value)}`;

const requestOf = (input: DraftInput): string =>
  "before" in input
    ? `\`${templateText(input.before)}\${encodeURIComponent(input.${input.name})}${templateText(input.after)}\``
    : "input.url";

/** A field's definition as source code, on one line except for the columns of a table. */
const writeField = (draft: FieldDraft, indent: string): string => {
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

/** Its place, for people: `#market`, `label "Market value"`. */
export const whereText = (draft: FieldDraft): string => {
  if (draft.type === "table") return draft.css;
  const { place } = draft;
  if ("css" in place) return place.css;
  if ("label" in place)
    return `label "${place.label}"${place.within === undefined ? "" : ` in ${place.within}`}`;
  if ("jsonLd" in place) return `json-ld ${place.jsonLd}.${place.path}`;
  return "meta" in place ? `meta ${place.meta}` : `column "${place.column}"`;
};

/** Its place, as source code: `"#market"`, `by.label("Market value")`. */
const writePlace = (place: DraftPlace): string => {
  if ("css" in place) return literal(place.css);
  if ("label" in place) {
    const within = place.within === undefined ? "" : `, { within: ${literal(place.within)} }`;
    return `by.label(${literal(place.label)}${within})`;
  }
  if ("jsonLd" in place) return `by.jsonLd(${literal(place.jsonLd)}, ${literal(place.path)})`;
  return "meta" in place ? `by.meta(${literal(place.meta)})` : `by.column(${literal(place.column)})`;
};

/**
 * Page text enters source code in two ways only: as a string literal in double quotes, and as the end of a line comment. Both
 * escape everything that could end them or change the direction of the visible text.
 */
export const literal = (text: string): string =>
  JSON.stringify(text).replace(UNSEEN, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );

// Controls, line separators, and characters that turn or hide text, some beyond the first plane.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const COMMENT_LENGTH = 60;

/** `// "…"`, on one line and cut. */
export const valueComment = (text: string): string => {
  const plain = stripVTControlCharacters(text)
    .replace(/\s+/g, " ")
    .replace(/\p{C}/gu, "")
    .replaceAll("*/", "* /")
    .trim();
  const characters = Array.from(plain);
  const shown =
    characters.length > COMMENT_LENGTH ? `${characters.slice(0, COMMENT_LENGTH - 1).join("")}…` : plain;
  return `// "${shown}"`;
};

/** The fixed text of a template literal. */
export const templateText = (text: string): string =>
  literal(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
