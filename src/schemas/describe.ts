import { z } from "zod";
import { type NumberRange, rangeText, RANGES } from "../domain/number-range.ts";

/**
 * Names and descriptions of the API's schemas. This is not zod's global registry: the installation's scrapers put their own schemas there,
 * and those do not belong in the API document.
 */
export const apiRegistry = z.registry<{ id?: string | undefined; [key: string]: unknown }>();

/** Makes the schema a component of the API document under this name. */
export const named = <Schema extends z.ZodType>(id: string, schema: Schema): Schema => {
  apiRegistry.add(schema, { id });
  return schema;
};

/** The same schema with a description for the API document. */
export const described = <Schema extends z.ZodType>(description: string, schema: Schema): Schema => {
  const copy = schema.clone();
  apiRegistry.add(copy, { description });
  return copy;
};

/** A value as JSON carries it: read-only, and without `undefined`. */
type Plain<Value> = unknown extends Value
  ? Value
  : Value extends readonly (infer Entry)[]
    ? readonly Plain<Entry>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Plain<Exclude<Value[Key], undefined>> }
      : Value;

/** What the API answers with, by its schema. */
export type Answer<Schema extends z.ZodType> = Plain<z.output<Schema>>;
/** What a caller sends, by its schema: members with a default may be left out. */
export type Request<Schema extends z.ZodType> = Plain<z.input<Schema>>;

/** An ISO 8601 time in UTC. */
export const instant = z.iso.datetime();

export const count = z.int().min(0);

/** Requests per second; null means no limit. */
export const perSecond = z.number().nullable();

/** A number of the table of ranges; the error names the range. */
export const numberIn = (name: keyof typeof RANGES): z.ZodNumber => {
  const range: NumberRange = RANGES[name];
  const error = `expected ${rangeText(range)}`;
  const base = range.isWhole ? z.int({ error }) : z.number({ error });
  return base.min(range.min, { error }).max(range.max, { error });
};

/** An object with one count for each name. */
export const countsOf = <Name extends string>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>);

/** A query parameter that may be repeated: `state=failed&state=waiting`. */
export const many = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([schema, z.array(schema).min(1).max(50)]);

/** The query of every list. */
export const pageQuery = (most: number, usual: number) => ({
  cursor: described("`next` of the previous page.", z.string().max(500)).optional(),
  limit: described(`Page size; ${usual} by default.`, z.coerce.number().int().min(1).max(most)).default(
    usual,
  ),
});

/** Every list: a page of entries, and the cursor of the next page if there may be one. */
export const pageOf = <Schema extends z.ZodType>(entry: Schema) =>
  z.object({
    data: z.array(entry),
    next: described(
      "Absent on the last page. Earlier pages may be short, or even empty.",
      z.string(),
    ).optional(),
  });

export interface PageQuery {
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly cursor?: string;
}

export interface Page<Entry> {
  readonly data: readonly Entry[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** The filters of a list, without the page. */
export type Filters<Schema extends z.ZodType> = Omit<Request<Schema>, keyof PageQuery>;
