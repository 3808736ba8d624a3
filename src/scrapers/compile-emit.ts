import type { compileExtraction } from "../extraction/extract-spec.ts";
import type { valuesOf } from "../extraction/fields.ts";
import type { KeptPage } from "../model/capture.ts";
import type { RawField, RawRecord } from "../model/record.ts";
import type { Emit, EmitFields, EmitFunction } from "./emit-to.ts";

/** An input found on a page, not yet held against its scraper's schema. */
export interface FoundInput {
  readonly value: Record<string, unknown>;
  /** What could not be read on the page, if anything: it says more than the schema, which only misses a member. */
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
export interface ExtractionTools {
  readonly compileExtraction: typeof compileExtraction;
  readonly valuesOf: typeof valuesOf;
}

export const compileEmit = (emit: Emit, own: string, tools: ExtractionTools): ReadyEmit => {
  const target = emit.target === "self" ? own : emit.target.name;
  // What they give is held against the target's schema, so what they are given need not be known here.
  const spec = emit.spec as ByFields | EmitFunction<unknown>;
  return "inputs" in spec
    ? { target, min: spec.min ?? 0, read: readByFunction(spec, tools) }
    : { target, min: spec.min ?? (hasElements(spec.each) ? 1 : 0), read: readByFields(spec, tools) };
};

/** A list in JSON says itself that it is there and has no entries. */
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
