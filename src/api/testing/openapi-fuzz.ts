import fc from "fast-check";

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly additionalProperties?: JsonSchema | boolean;
}

interface Content {
  readonly schema?: JsonSchema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required?: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface FuzzedRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly value: unknown };
}

/** Values worth trying under the name of a parameter, or of a body's member as `body.name`: without them a random request gets no further than the gate. */
export type Hints = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const WRONG = fc.oneof(
  fc.constantFrom(null, -1, 1e30, "", "\u0000", "x".repeat(600), [], {}, true, "%", "a/b", "🦊"),
  fc.jsonValue({ maxDepth: 1 }),
);

const integerIn = (min: number, max = Infinity): fc.Arbitrary<number> =>
  fc.integer({ min, max: Math.min(max, min + 1000) });

/** Random requests by the document: most fit it, some do not. */
export const fuzzedRequests = (document: OpenapiDocument, hints: Hints): fc.Arbitrary<FuzzedRequest> => {
  const deref = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)!]!;

  const fitting = (given: JsonSchema, name = ""): fc.Arbitrary<unknown> => {
    const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
    if (hint) return hint;
    const schema = deref(given);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fitting(one)));
    const [type = "any"] = [schema.type ?? []].flat();
    switch (type) {
      case "string":
        return fc.string({
          minLength: schema.minLength ?? 0,
          maxLength: Math.min(schema.maxLength ?? 20, 20),
        });
      case "integer":
        return integerIn(Math.max(schema.minimum ?? 0, -1000), schema.maximum);
      case "number":
        return fc.integer({ min: 1, max: 100 });
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "array":
        return fc.array(fitting(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 });
      case "object":
        return objectOf(schema);
      default:
        return fc.jsonValue({ maxDepth: 1 });
    }
  };

  const sometimesWrong = (schema: JsonSchema, name: string): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 30, arbitrary: fitting(schema, name) }, { weight: 1, arbitrary: WRONG });

  const objectOf = ({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> =>
    fc.record(
      Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, sometimesWrong(schema, `body.${name}`)]),
      ),
      { requiredKeys: [...required] },
    );

  const parametersOf = (operation: Operation, place: "path" | "query" | "header") => {
    const own = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    return fc.record(
      Object.fromEntries(own.map(({ name, schema }) => [name, sometimesWrong(schema, name)])),
      { requiredKeys: own.filter(({ required }) => required).map(({ name }) => name) },
    );
  };

  const bodyOf = ({ requestBody }: Operation): fc.Arbitrary<FuzzedRequest["body"]> => {
    if (!requestBody) return fc.constant(undefined);
    const kinds = Object.entries(requestBody.content).map(([type, { schema = {} }]) =>
      fc.record({
        type: fc.constant(type),
        value: fc.oneof({ weight: 20, arbitrary: fitting(schema, type) }, { weight: 1, arbitrary: WRONG }),
      }),
    );
    const other = fc.record({ type: fc.constantFrom("text/plain", "x", "application/xml"), value: WRONG });
    return fc.oneof(...kinds.map((arbitrary) => ({ weight: 20, arbitrary })), {
      weight: 1,
      arbitrary: other,
    });
  };

  const texts = (values: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plain(value)]));

  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      fc
        .tuple(
          parametersOf(operation, "path"),
          parametersOf(operation, "query"),
          parametersOf(operation, "header"),
          bodyOf(operation),
        )
        .map(([params, query, headers, body]): FuzzedRequest => ({
          operation,
          method: method.toUpperCase(),
          path,
          params: texts(params),
          query,
          headers: texts(headers),
          ...(body && { body }),
        })),
    ),
  );
  return fc.oneof(...all);
};

const plain = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
