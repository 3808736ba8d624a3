import type { Source, Template } from "./chain.ts";
import { encode, ENCODING_NAMES, type EncodingName, groupsOf } from "./encodings.ts";
import { findEntry, type Found, findLocations, isAmbiguous, valuesWithin } from "./find-locations.ts";
import { textOf } from "./location.ts";
import { stepTo } from "./json-paths.ts";
import type { Call, Run } from "./run.ts";

/** Properties of the inputs, nested ones by their path, with their value in each run. */
export const inputValues = (runs: readonly Run[]): ReadonlyMap<string, readonly string[]> => {
  const [first] = runs.map(({ input }) => flat(input, ""));
  const values = new Map<string, readonly string[]>();
  for (const property of first?.keys() ?? []) {
    const each = runs.flatMap(({ input }) => flat(input, "").get(property) ?? []);
    if (each.length === runs.length) values.set(property, each);
  }
  return values;
};

const flat = (value: unknown, path: string): ReadonlyMap<string, string> => {
  if (typeof value === "object" && value !== null)
    return new Map(
      Object.entries(value).flatMap(([key, inside]) => [
        ...flat(inside, stepTo(path, key, Array.isArray(value))),
      ]),
    );
  const text = textOf(value);
  return new Map(text === undefined || text === "" ? [] : [[path, text]]);
};

type Inputs = ReturnType<typeof inputValues>;

/** The property that gives these values, one for each run. */
export const inputSource = (inputs: Inputs, wanted: readonly string[]): Source | undefined => {
  for (const [property, given] of inputs) {
    const grouping = groupsOf(given[0] ?? "", wanted[0] ?? "");
    const names: readonly EncodingName[] = grouping === undefined ? ENCODING_NAMES : [grouping];
    const encoding = names.find((name) => given.every((text, run) => encode(name, text) === wanted[run]));
    if (encoding !== undefined) return { from: "input", property, encoding };
  }
  return undefined;
};

/** A value of the input within longer texts: the text around it, once for each run. */
export const aroundInput = (
  inputs: Inputs,
  wanted: readonly string[],
):
  | { readonly source: Source; readonly before: readonly string[]; readonly after: readonly string[] }
  | undefined => {
  for (const [property, given] of inputs)
    for (const encoding of [...ENCODING_NAMES, ...groupsWithin(given[0] ?? "", wanted[0] ?? "")]) {
      const values = given.map((text) => encode(encoding, text) ?? "");
      const cut = cutAround(wanted, values, SHORTEST_WITHIN);
      if (cut !== undefined) return { source: { from: "input", property, encoding }, ...cut };
    }
  return undefined;
};

/** The input with marks between its characters, somewhere in the text. */
const groupsWithin = (given: string, text: string): EncodingName[] => {
  if (!/^\w{3,100}$/.test(given)) return [];
  const [match] = new RegExp(given.split("").join("[-. /]?")).exec(text) ?? [];
  return match === undefined ? [] : [groupsOf(given, match) ?? []].flat();
};

/** A part of a text that is shorter occurs by chance. */
const SHORTEST_WITHIN = 3;

/** The texts around these values, if each text contains its value. Of several places, the first. */
const cutAround = (
  texts: readonly string[],
  values: readonly string[],
  shortest: number,
): { readonly before: readonly string[]; readonly after: readonly string[] } | undefined => {
  const places = texts.map((text, run) => {
    const value = values[run] ?? "";
    return value.length < shortest ? -1 : text.indexOf(value);
  });
  if (places.includes(-1)) return undefined;
  return {
    before: texts.map((text, run) => text.slice(0, places[run])),
    after: texts.map((text, run) => text.slice((places[run] ?? 0) + (values[run] ?? "").length)),
  };
};

/** The same call in each run, and its place among those of the first. */
export interface PairedCall {
  readonly at: number;
  readonly calls: readonly Call[];
}

export interface StepSource extends Found {
  readonly from: "step";
  readonly step: number;
}

/** Locations in earlier answers, one for each answer that has any; the newest answer first. */
export const stepSources = (
  earlier: readonly PairedCall[],
  wanted: readonly string[],
  inputs: Inputs,
): StepSource[] =>
  earlier.toReversed().flatMap(({ at, calls }): StepSource[] => {
    const [best] = findLocations(calls, wanted);
    const isSure = best !== undefined && !isAmbiguous(best.location, calls);
    const found = (isSure ? undefined : findEntry(calls, wanted, inputs)) ?? best;
    return found === undefined ? [] : [{ from: "step", step: at, ...found }];
  });

/** A value of an earlier answer within longer texts. */
export const aroundStep = (
  earlier: readonly PairedCall[],
  wanted: readonly string[],
):
  | { readonly source: StepSource; readonly before: readonly string[]; readonly after: readonly string[] }
  | undefined => {
  const [text = ""] = wanted;
  for (const { at, calls } of earlier.toReversed())
    for (const value of valuesWithin(calls[0]!, text).slice(0, MOST_TRIED)) {
      const place = text.indexOf(value);
      const [before, after] = [text.slice(0, place), text.slice(place + value.length)];
      const values = wanted.map((one) =>
        one.startsWith(before) && one.endsWith(after) && one.length > before.length + after.length
          ? one.slice(before.length, one.length - after.length)
          : "",
      );
      const [found] = values.includes("") ? [] : findLocations(calls, values);
      if (found !== undefined)
        return {
          source: { from: "step", step: at, ...found },
          before: wanted.map(() => before),
          after: wanted.map(() => after),
        };
    }
  return undefined;
};

/** Values of one answer that are tried as part of a longer one. */
const MOST_TRIED = 50;

/** Texts that are the same in every run become one constant. */
export const constantOf = (texts: readonly string[]): Template | undefined =>
  texts.every((text) => text === texts[0]) ? (texts[0] === "" ? [] : [texts[0]!]) : undefined;

/** How far the clocks of the browser and of the recorder may be apart. */
const NEAR_MS = 5000;

/** The time at which the request was made, in every run. */
export const clockSource = (calls: readonly Call[], wanted: readonly string[]): Source | undefined => {
  for (const [unit, ms] of [
    ["ms", 1],
    ["s", 1000],
  ] as const) {
    const isNow = calls.every(({ startedAt }, run) => {
      const text = wanted[run] ?? "";
      return /^\d{10,13}$/.test(text) && Math.abs(Number(text) * ms - startedAt) < NEAR_MS;
    });
    if (isNow) return { from: "clock", unit };
  }
  return undefined;
};
