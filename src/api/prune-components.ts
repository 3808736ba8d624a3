interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

const REFERENCE = /"#\/components\/schemas\/([^"/]+)"/g;

/** Leaves out schemas that nothing in the document leads to: each has a form for requests and one for answers, and few are used in both. */
export const pruneComponents = <Doc extends object>(document: Doc): Doc => {
  const { components, ...rest } = document as Doc & Document;
  const schemas = components?.schemas ?? {};
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name] of (JSON.stringify(part) ?? "").matchAll(REFERENCE)) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  visit(rest);
  return {
    ...document,
    components: {
      ...components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
    },
  };
};
