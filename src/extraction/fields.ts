import { refuseUnknownOptions } from "../domain/known-options.ts";
import type { RawField } from "../domain/record.ts";
import type { Field } from "./define-field.ts";
import { ExtractionError } from "./extraction-error.ts";
import { checkScope } from "./find-place.ts";
import type { HtmlElement } from "./html-document.ts";
import { by, type Within, WITHIN_OPTIONS } from "./place.ts";
import { listsWithin } from "./query-lists.ts";
import type { QueryLists } from "./query-lists.ts";
import { Scope } from "./scope.ts";
import { compileSelector } from "./selector.ts";
import type { Selector } from "./selector.ts";

/** Fields that belong together, made with `field.object`. Each has its own status, under a dotted name. */
export interface FieldGroup<F> {
  readonly kind: "object";
  readonly fields: F;
  /** The element that the fields are relative to. */
  readonly within: Selector | undefined;
  readonly isRequired: boolean;
  optional(): FieldGroup<F>;
}

export type Fields = { readonly [name: string]: Field<unknown> | FieldGroup<Fields> };

/** The record that these fields give: any value may be null, since a site may have none. */
export type RecordOf<F> = {
  readonly [Name in keyof F]: F[Name] extends FieldGroup<infer G>
    ? RecordOf<G>
    : F[Name] extends Field<infer T>
      ? T | null
      : never;
};

export function fieldGroup<const F extends Fields>(
  fields: F,
  options: Within = {},
  isRequired = true,
): FieldGroup<F> {
  refuseUnknownOptions(options, WITHIN_OPTIONS, "field.object");
  const { within } = options;
  return Object.freeze({
    kind: "object",
    fields,
    within: within === undefined ? undefined : compileSelector(within),
    isRequired,
    optional: () => fieldGroup(fields, within === undefined ? {} : { within }, false),
  });
}

export type RawFields = Record<string, RawField>;

/** Fields compiled for one scope. */
export interface CompiledFields {
  /** By dotted name, in the order of the scraper; optional if the group around it is. */
  readonly leaves: ReadonlyMap<string, Field<unknown>>;
  /** Reads all fields into `into`. Without a scope, all are missing. */
  readonly readInto: (scope: Scope | undefined, into: RawFields) => void;
}

/** Throws `ExtractionError` with code `bad-spec` for anything that is not a field. */
export function compileFields(
  fields: Fields,
  lists: QueryLists,
  prefix = "",
  isOptional = false,
): CompiledFields {
  const leaves = new Map<string, Field<unknown>>();
  const parts: CompiledFields["readInto"][] = [];
  for (const [name, one] of Object.entries(fields)) {
    const path = `${prefix}${name}`;
    checkField(path, name, one);
    if (one.kind === "object") {
      const inside = compileGroup(one, lists, path, isOptional || !one.isRequired);
      for (const [leafName, leaf] of inside.leaves) leaves.set(leafName, leaf);
      parts.push(inside.readInto);
      continue;
    }
    leaves.set(path, isOptional ? one.optional() : one);
    const read = one.compile(lists);
    parts.push((scope, into) => {
      into[path] = scope === undefined ? missing : read(scope);
    });
  }
  return {
    leaves,
    readInto(scope, into) {
      for (const part of parts) part(scope, into);
    },
  };
}

const missing: RawField = { raw: null, isEmpty: false, value: null };

function compileGroup(
  group: FieldGroup<Fields>,
  lists: QueryLists,
  path: string,
  isOptional: boolean,
): CompiledFields {
  const { within } = group;
  if (within === undefined) return compileFields(group.fields, lists, `${path}.`, isOptional);
  checkScope(by.css(within.css), lists);
  const own = listsWithin(lists, "element");
  const { leaves, readInto } = compileFields(group.fields, own, `${path}.`, isOptional);
  return {
    leaves,
    readInto(scope, into) {
      const element = scope?.view.document.first(within, scope.element);
      readInto(scope && element && scopeOf(element, scope, own), into);
    },
  };
}

/** The scope of an element inside another scope. */
export const scopeOf = (element: HtmlElement, around: Scope, lists: QueryLists): Scope =>
  new Scope(around.view, lists.own.queries, { page: around.page, findElement: () => element });

function checkField(
  path: string,
  name: string,
  found: unknown,
): asserts found is Field<unknown> | FieldGroup<Fields> {
  if (name === "__proto__") throw new ExtractionError("bad-spec", "a field cannot be named __proto__");
  if (name.includes("."))
    throw new ExtractionError(
      "bad-spec",
      `the field name ${name} has a dot: use field.object({ … }) for nested fields`,
    );
  const isField =
    typeof found === "object" &&
    found !== null &&
    "kind" in found &&
    ("compile" in found || "fields" in found);
  if (isField) return;
  throw new ExtractionError(
    "bad-spec",
    `extract.fields.${path} is not a field: create it with field.text(…) or another field.* function`,
  );
}

/** The values of a record's fields, groups as objects: `{ address: { street: … } }`. */
export function valuesOf(
  fields: Readonly<Record<string, { readonly value: unknown }>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [path, { value }] of Object.entries(fields)) {
    const names = path.split(".");
    const last = names.pop() ?? path;
    let inside = values;
    for (const name of names) {
      const next = Object.hasOwn(inside, name) ? inside[name] : undefined;
      inside =
        typeof next === "object" && next !== null ? (next as Record<string, unknown>) : (inside[name] = {});
    }
    inside[last] = value;
  }
  return values;
}
