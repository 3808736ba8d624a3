import { z } from "zod";

/**
 * Names and descriptions of the API's schemas. Not zod's global registry: scrapers of the installation put their own schemas there, which
 * are none of the document's.
 */
export const apiRegistry = z.registry<{ id?: string | undefined; [key: string]: unknown }>();

/** Becomes a component of the document under this name. */
export const named = <Schema extends z.ZodType>(id: string, schema: Schema): Schema => {
  apiRegistry.add(schema, { id });
  return schema;
};

/** The same schema with a sentence for the reader of the document. */
export const says = <Schema extends z.ZodType>(description: string, schema: Schema): Schema => {
  const copy = schema.clone();
  apiRegistry.add(copy, { description });
  return copy;
};
