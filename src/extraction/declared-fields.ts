import { unknownOption } from "../domain/known-options.ts";
import type { Field } from "./define-field.ts";
import type { ExtractSpec } from "./extract-spec.ts";
import { ExtractionError } from "./extraction-error.ts";
import { field } from "./field.ts";
import type { FieldGroup, Fields } from "./fields.ts";
import { by, type Place } from "./place.ts";

/** An `extract` block as data: what `field.…` and `by.…` take, written down in JSON or YAML. */
type Declared = Readonly<Record<string, unknown>>;

const MOST_FIELDS = 500;
const MOST_NESTING = 8;

export interface DeclaredOptions {
  /** Regular expressions: a slow one blocks its worker, so they are only for operators. */
  readonly allowsPatterns: boolean;
}

/** Throws `ExtractionError`, whose message begins with the place: `extract.fields.owner: …`. */
export function declaredExtract(declared: unknown, options: DeclaredOptions): ExtractSpec {
  const unknown = unknownOption(declared ?? null, { from: true, each: true, fields: true }, "`extract`");
  if (unknown !== undefined) throw bad("extract", unknown);
  const { from, each, fields } = declared as Declared;
  if (from !== undefined && ![from].flat().every((name) => typeof name === "string"))
    throw bad("extract.from", "expected the name of a kept page, or a list of names");
  return {
    ...(from !== undefined && { from: from as string | string[] }),
    ...(each !== undefined && { each: at("extract.each", () => placeOf(each, options)) }),
    fields: fieldsOf(fields, "extract.fields", { ...options, depth: 0, left: { count: MOST_FIELDS } }),
  };
}

interface Reading extends DeclaredOptions {
  readonly depth: number;
  /** Fields that may still come, over all levels. */
  readonly left: { count: number };
}

const isObject = (value: unknown): value is Declared =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const bad = (place: string, problem: string): ExtractionError =>
  new ExtractionError("bad-spec", `${place}: ${problem.replace(/\.$/, "")}`);

/** Errors inside are reported at this place; the innermost place is kept. */
const at = <Result>(place: string, work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    if (error instanceof ExtractionError && error.message.startsWith("extract")) throw error;
    throw bad(place, (error as Error).message);
  }
};

function fieldsOf(declared: unknown, place: string, reading: Reading): Fields {
  if (!isObject(declared) || Object.keys(declared).length === 0)
    throw bad(place, "expected fields by name, for example { owner: { type: text, label: Owner } }");
  if (reading.depth >= MOST_NESTING) throw bad(place, `fields are nested deeper than ${MOST_NESTING} levels`);
  const inner = { ...reading, depth: reading.depth + 1 };
  return Object.fromEntries(
    Object.entries(declared).map(([name, one]) => {
      if (--reading.left.count < 0) throw bad(place, `there are more than ${MOST_FIELDS} fields`);
      const where = `${place}.${name}`;
      return [name, at(where, () => fieldOf(one, where, inner))];
    }),
  );
}

/** The kinds of field that take a place and options; the others are made below. */
const PLAIN = [
  "text",
  "number",
  "money",
  "currency",
  "percent",
  "date",
  "phone",
  "email",
  "url",
  "html",
  "json",
  "list",
] as const;
const TYPES = [...PLAIN, "attr", "table", "object", "each"];

type PlainField = (where: readonly Place[], options: object) => Field<unknown>;

function fieldOf(declared: unknown, place: string, reading: Reading): Field<unknown> | FieldGroup<Fields> {
  const given = typeof declared === "string" ? { select: declared } : declared;
  if (!isObject(given)) throw bad(place, "expected a CSS selector, or an object with `type` and a place");
  const { type = "text", required = true, ...rest } = given;
  if (typeof required !== "boolean") throw bad(place, "`required` must be true or false");
  const made = makeField(type, rest, place, reading);
  return required ? made : made.optional();
}

function makeField(
  type: unknown,
  declared: Declared,
  place: string,
  reading: Reading,
): Field<unknown> | FieldGroup<Fields> {
  const plain = PLAIN.find((one) => one === type);
  if (plain !== undefined) {
    const { places, rest } = takePlaces(declared, reading);
    return (field[plain] as PlainField)(places, optionsOf(rest, reading));
  }
  switch (type) {
    case "attr": {
      const { attribute, ...others } = declared;
      if (typeof attribute !== "string") throw bad(place, "`attribute` must name the attribute");
      const { places, rest } = takePlaces(others, reading);
      return field.attr(places, attribute, optionsOf(rest, reading));
    }
    case "table": {
      const { select, columns, ...rest } = declared;
      if (!isTexts(select)) throw bad(place, "a table needs a CSS selector in `select`");
      return field.table(select, {
        ...optionsOf(rest, reading),
        ...(columns !== undefined && { columns: fieldsOf(columns, `${place}.columns`, reading) }),
      });
    }
    case "object": {
      const { fields, ...rest } = declared;
      return field.object(fieldsOf(fields, `${place}.fields`, reading), rest);
    }
    case "each": {
      const { each, fields, ...rest } = declared;
      const rows = placeOf(each, reading);
      return field.each(rows, fieldsOf(fields, `${place}.fields`, reading), optionsOf(rest, reading));
    }
    default:
      throw bad(place, `the type ${JSON.stringify(type)} is unknown: use ${TYPES.join(", ")}`);
  }
}

const isTexts = (value: unknown): value is string | readonly string[] =>
  [value].flat().length > 0 && [value].flat().every((one) => typeof one === "string");

/** Options that are code in a scraper file. `pattern` and `none` may be patterns, which JSON has no form for. */
const optionsOf = ({ pattern, none, ...rest }: Declared, options: DeclaredOptions): object => {
  for (const name of ["transform", "check"])
    if (name in rest) throw new TypeError(`\`${name}\` is code: write a .ts scraper for it`);
  return {
    ...rest,
    ...(pattern !== undefined && { pattern: patternOf(pattern, options) }),
    ...(none !== undefined && {
      none: isObject(none) && "text" in none ? patternOf(none["text"], options) : placeOf(none, options),
    }),
  };
};

const patternOf = (pattern: unknown, { allowsPatterns }: DeclaredOptions, flags: unknown = ""): RegExp => {
  if (!allowsPatterns)
    throw new TypeError("patterns are only for scrapers of operators: use a selector or a label");
  if (typeof pattern !== "string" || typeof flags !== "string")
    throw new TypeError("a pattern must be a string");
  return new RegExp(pattern, flags);
};

/** By the key that says how a place is found; the other keys of its object are its details. */
const PLACES: Readonly<
  Record<
    string,
    {
      readonly details: readonly string[];
      readonly make: (value: string, details: Declared, options: DeclaredOptions) => Place;
    }
  >
> = {
  select: {
    details: ["attribute"],
    make: (css, { attribute }) =>
      attribute === undefined ? by.css(css) : by.attr(css, textOf(attribute, "attribute")),
  },
  label: { details: ["within"], make: (label, within) => by.label(label, within) },
  regex: {
    details: ["flags", "within"],
    make: (pattern, { flags, ...within }, options) => by.regex(patternOf(pattern, options, flags), within),
  },
  json: { details: ["path"], make: (css, { path = "" }) => by.json(css, textOf(path, "path")) },
  jsonLd: { details: ["path"], make: (type, { path = "" }) => by.jsonLd(type, textOf(path, "path")) },
  state: { details: ["path"], make: (name, { path = "" }) => by.state(name, textOf(path, "path")) },
  meta: { details: [], make: (name) => by.meta(name) },
  column: { details: [], make: (header) => by.column(header) },
  // Last: it is a detail of the others.
  path: { details: [], make: (path) => by.path(path) },
};

const textOf = (value: unknown, name: string): string => {
  if (typeof value !== "string") throw new TypeError(`\`${name}\` must be a string`);
  return value;
};

const WAYS = `${Object.keys(PLACES).join(", ")}, or a list of places in \`where\``;

/** The places that a field's object names, and what is left of the object: the field's options. */
const takePlaces = (
  declared: Declared,
  options: DeclaredOptions,
): { readonly places: readonly Place[]; readonly rest: Declared } => {
  const { where, ...others } = declared;
  if (where !== undefined)
    return { places: [where].flat().map((one) => placeOf(one, options)), rest: others };
  const way = Object.keys(PLACES).find((name) => name in declared);
  if (way === undefined) throw new TypeError(`it has no place: use one of ${WAYS}`);
  const { details, make } = PLACES[way]!;
  const entries = Object.entries(declared).filter(([name]) => name !== way);
  const own = Object.fromEntries(entries.filter(([name]) => details.includes(name)));
  const values: readonly unknown[] = [declared[way]].flat();
  return {
    places: values.map((value) => make(textOf(value, way), own, options)),
    rest: Object.fromEntries(entries.filter(([name]) => !details.includes(name))),
  };
};

/** A CSS selector, or an object such as `{ label: Owner }`. */
const placeOf = (declared: unknown, options: DeclaredOptions): Place => {
  if (typeof declared === "string") return by.css(declared);
  if (!isObject(declared)) throw new TypeError(`expected a CSS selector, or an object with one of ${WAYS}`);
  const { places, rest } = takePlaces(declared, options);
  const [unknown] = Object.keys(rest);
  if (places.length !== 1 || unknown !== undefined)
    throw new TypeError(
      unknown === undefined ? "expected one place" : `a place has no option \`${unknown}\``,
    );
  return places[0]!;
};
