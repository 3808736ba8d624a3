import type { DraftInput } from "./guess-input.ts";
import { literal, templateText, valueComment } from "./source-text.ts";
import type { VerifiedField } from "./verify-fields.ts";
import { writeField } from "./write-field.ts";

export interface NamedField extends VerifiedField {
  readonly name: string;
}

export interface ScraperDraft {
  readonly name: string;
  readonly site: string;
  readonly input: DraftInput;
  /** Parameters of the address that look like secrets, and are not in the draft. */
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
  // Polite for a site about which nothing is known.
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

/** A proposal only: it makes one page of a listing a job over all of them. */
const nextLines = (
  css: string,
): string => `  // To go on to the next page, import emitTo from "sluice-jobs" too, and take this in:
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
