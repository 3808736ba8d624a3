import type { Field } from "../extraction/define-field.ts";
import type { ExtractTools } from "../extraction/extract-function.ts";
import type { compileExtraction } from "../extraction/extract-spec.ts";
import type { FieldGroup, Fields, valuesOf } from "../extraction/fields.ts";
import type { Each } from "../extraction/place.ts";
import type { KeptPage } from "../domain/capture.ts";
import type { OptionNames } from "../domain/known-options.ts";
import type { RawField, RawRecord } from "../domain/record.ts";
import type { AnyScraper } from "./scraper.ts";

/** An input found on a page, not yet held against its scraper's schema. */
export interface FoundInput {
  readonly value: Record<string, unknown>;
  /** What could not be read on the page, if anything: more helpful than the schema, which only reports a missing member. */
  readonly problem?: string;
}

/** One of a scraper's `emit`s, checked and compiled once for all items. */
export interface ReadyEmit {
  /** Name of the scraper that the inputs are for. */
  readonly target: string;
  readonly min: number;
  /** Pure. Throws as extraction does. */
  readonly read: (pages: readonly KeptPage[], input: unknown) => readonly FoundInput[];
}

/** Comes in from outside: the parser of pages is loaded only where a scraper needs it. */
interface ExtractionTools {
  readonly compileExtraction: typeof compileExtraction;
  readonly valuesOf: typeof valuesOf;
}

export const compileEmit = (emit: Emit, own: string, tools: ExtractionTools): ReadyEmit => {
  const target = emit.target === "self" ? own : emit.target.name;
  // Their result is checked by the target's schema, so its type need not be known here.
  const spec = emit.spec as ByFields | EmitFunction<unknown>;
  return "inputs" in spec
    ? { target, min: spec.min ?? 0, read: readByFunction(spec, tools) }
    : { target, min: spec.min ?? (hasElements(spec.each) ? 1 : 0), read: readByFields(spec, tools) };
};

/** A list in JSON shows by itself that it exists and is empty. */
const hasElements = (each: ByFields["each"]): boolean =>
  each !== undefined && (typeof each === "string" || each.how !== "json");

type ByFields = EmitFields<EmitFields["input"], unknown>;

const readByFunction = (
  { from, inputs }: EmitFunction<unknown>,
  { compileExtraction: compile }: ExtractionTools,
): ReadyEmit["read"] => {
  const names = from === undefined ? undefined : [from].flat();
  return (pages, input) => {
    const wanted = names ? pages.filter(({ name }) => names.includes(name)) : pages;
    const { read } = compile((_pages, tools) => inputs(wanted, { input, tools }));
    return read(pages).map(({ fields }) => {
      const there = presentOf(fields);
      return found(fields, Object.fromEntries(there.map(([name, { value }]) => [name, value])));
    });
  };
};

const readByFields = (
  { from, each, input: fields, with: added }: ByFields,
  { compileExtraction: compile, valuesOf: values }: ExtractionTools,
): ReadyEmit["read"] => {
  const { read } = compile({
    ...(from !== undefined && { from }),
    ...(each !== undefined && { each }),
    fields,
  });
  return (pages, input) => {
    const more = takenOver(added, input);
    return read(pages)
      .filter(hasSomething)
      .map((record) =>
        found(record.fields, { ...more, ...values(Object.fromEntries(presentOf(record.fields))) }),
      );
  };
};

const takenOver = (added: ByFields["with"], input: unknown): object => {
  if (added === undefined) return {};
  if (typeof added === "function") return added(input);
  return Object.fromEntries(Object.entries(input as object).filter(([name]) => added.includes(name)));
};

/** A row in which nothing was found is a heading or a rule, no input. */
const hasSomething = ({ fields }: RawRecord): boolean =>
  Object.values(fields).some(({ raw, isEmpty }) => raw !== null && !isEmpty);

const presentOf = (fields: RawRecord["fields"]): [string, RawField][] =>
  Object.entries(fields).filter(([, { value }]) => value !== null);

const found = (fields: RawRecord["fields"], value: Record<string, unknown>): FoundInput => {
  const problems = Object.entries(fields)
    .filter(([, { problem }]) => problem !== undefined)
    .map(([name, { problem }]) => `${name}: ${problem}`);
  return problems.length === 0 ? { value } : { value, problem: problems.join("; ") };
};

/** Inputs from the fields of a page: one, or one for each match of `each`. */
interface EmitFields<F extends Fields = Fields, Parent = never, Added = object, Names = string> {
  /** Names of kept pages. Optional if only one page is kept. */
  readonly from?: string | readonly string[];
  /** Each match is one input, and the fields are relative to it: a CSS selector, or a place in JSON (`by.path("items[]")`). */
  readonly each?: Each;
  /** The fields of the target's input. If none of them is found, nothing is emitted. */
  readonly input: F;
  /**
   * What to copy from the input of the current item: names of its members, or a function
   * `(parent: { region: string }) => ({ … })`, whose parameter needs its type.
   */
  readonly with?: readonly Names[] | ((parent: Parent) => Added);
  /** With fewer inputs than this, the item fails with `structure-changed`. Default 1 with an `each` of elements, else 0. */
  readonly min?: number;
}

export const EMIT_FIELDS_OPTIONS: OptionNames<EmitFields> = {
  from: true,
  each: true,
  input: true,
  with: true,
  min: true,
};

/** Inputs by the scraper's own code: pure, not async. */
interface EmitFunction<Parent = never, Given = unknown> {
  /** Names of the kept pages that the function gets. Default: all of them. */
  readonly from?: string | readonly string[];
  /** Gives the target's inputs, one object for each. */
  readonly inputs: (pages: readonly KeptPage[], context: EmitContext<Parent>) => readonly Given[];
  /** With fewer inputs than this, the item fails with `structure-changed`. Default 0. */
  readonly min?: number;
}

export const EMIT_FUNCTION_OPTIONS: OptionNames<EmitFunction> = { from: true, inputs: true, min: true };

interface EmitContext<Parent> {
  /** The input of the current item. */
  readonly input: Parent;
  /** Tools to parse the pages. */
  readonly tools: ExtractTools;
}

/** Inputs found on a scraper's pages become items of the same job. Made with `emitTo`. */
export interface Emit<Parent = never> {
  readonly target: AnyScraper | "self";
  readonly spec: EmitFields<Fields, Parent> | EmitFunction<Parent>;
}

export interface EmitToOther<Parent> extends Emit<Parent> {
  readonly target: AnyScraper;
}

/** To the scraper itself, for example the next page of a list: the result must match the scraper's own input. */
export interface EmitToSelf<Parent, Gives> extends Emit<Parent> {
  readonly target: "self";
  readonly "~gives"?: Gives;
}

/** A scraper that remembers what its input schema takes. */
interface Target<Given> extends AnyScraper {
  readonly "~types"?: { readonly given: Given };
}

/** Each value that was there. */
type Found<F> = {
  readonly [Name in keyof F]: F[Name] extends FieldGroup<infer G>
    ? Found<G>
    : F[Name] extends Field<infer T>
      ? T
      : never;
};
type Members<Given, Names extends PropertyKey> = { readonly [Name in Names]: Given[Name & keyof Given] };
/** Without names, nothing is required of the parent. */
type ParentWith<Parent, Names, Asked> = [Names] extends [never] ? Parent : Parent & Asked;

/** Empty if it matches; else a member that no object has, whose name says what is wrong. */
type Fit<Given, Gives> = Gives extends Given
  ? unknown
  : { readonly "what it finds does not fit the target's input": Given };

interface EmitTo {
  <Parent, Gives>(target: "self", spec: EmitFunction<Parent, Gives>): EmitToSelf<Parent, Gives>;
  <F extends Fields, Parent, Added extends object, Names extends string = never>(
    target: "self",
    spec: EmitFields<F, Parent, Added, Names>,
  ): EmitToSelf<
    ParentWith<Parent, Names, Readonly<Record<Names, unknown>>>,
    Found<F> & Added & Readonly<Record<Names, never>>
  >;
  <Given, Parent>(target: Target<Given>, spec: EmitFunction<Parent, NoInfer<Given>>): EmitToOther<Parent>;
  <Given, F extends Fields, Parent, Added extends object, Names extends string & keyof Given = never>(
    target: Target<Given>,
    spec: EmitFields<F, Parent, Added, Names> & Fit<Given, Found<F> & Added & Members<Given, Names>>,
  ): EmitToOther<ParentWith<Parent, Names, Members<Given, Names>>>;
}

/** In a scraper's `emit`: what to look for on its pages, and which scraper the inputs found there are for. */
export const emitTo = ((target: unknown, spec: unknown) => ({ target, spec })) as EmitTo;
