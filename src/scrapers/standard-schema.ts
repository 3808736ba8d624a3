/**
 * The common face of schema libraries (zod, valibot, arktype …), https://standardschema.dev: the house checks inputs through it and
 * loads none of them itself.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** `parcel: expected 10 digits; year: required` */
export const describeIssues = (issues: readonly SchemaIssue[]): string =>
  issues
    .map(({ message, path }) => {
      const where = (path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
      return where === "" ? message : `${where}: ${message}`;
    })
    .join("; ");
