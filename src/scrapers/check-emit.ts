import { unknownOption } from "../domain/known-options.ts";
import { EMIT_FIELDS_OPTIONS, EMIT_FUNCTION_OPTIONS } from "./compile-emit.ts";
import { ScraperLoadError } from "./check-scraper.ts";

/** The gate for a scraper's `emit`; `checkTarget` is the gate for the scrapers that it names. */
export const checkEmit = (
  emit: unknown,
  file: string,
  checkTarget: (target: unknown, where: string) => void,
): void => {
  if (emit === undefined) return;
  const refuse = (problem: string): never => {
    throw new ScraperLoadError("bad-scraper", `${file}: ${problem}`);
  };
  if (!Array.isArray(emit)) return refuse("`emit` must be a list: `emit: [emitTo(detail, { … })]`.");
  for (const [index, one] of (emit as readonly unknown[]).entries()) {
    const where = `emit[${index}]`;
    if (!isObject(one) || !("target" in one) || !("spec" in one) || !isObject(one.spec))
      return refuse(`\`${where}\` must be made with emitTo: \`emitTo(detail, { input: { … } })\`.`);
    if (one["target"] === undefined)
      return refuse(
        `\`${where}\` has no target. Two files that import each other cannot emit to each other: put one of the scrapers in a file of its own.`,
      );
    if (one["target"] !== "self") checkTarget(one["target"], where);
    const { spec } = one;
    if ("input" in spec === "inputs" in spec)
      return refuse(
        `\`${where}\` needs either \`input\`, fields to look for on the page, or \`inputs\`, a function that gives them.`,
      );
    const known = "inputs" in spec ? EMIT_FUNCTION_OPTIONS : EMIT_FIELDS_OPTIONS;
    const unknown = unknownOption(spec, known, `\`${where}\``);
    if (unknown !== undefined) return refuse(unknown);
    const problem = problemOf(spec);
    if (problem !== undefined) return refuse(`\`${where}\` ${problem}.`);
  }
};

const problemOf = (spec: Readonly<Record<string, unknown>>): string | undefined => {
  const { from, each, input, inputs, with: added, min } = spec;
  if (inputs !== undefined && typeof inputs !== "function") return "needs a function for `inputs`";
  if (input !== undefined && (!isObject(input) || Object.keys(input).length === 0))
    return "needs fields in `input`, for example { url: field.url('a') }";
  if (from !== undefined && typeof from !== "string" && !isTexts(from))
    return "needs the name of a kept page, or a list of them, for `from`";
  if (each !== undefined && typeof each !== "string" && !(isObject(each) && "how" in each))
    return 'needs a CSS selector for `each`, or a place in JSON such as by.path("items[]")';
  if (added !== undefined && typeof added !== "function" && !isTexts(added))
    return "takes for `with` a list of names, or a function of the input that gives an object";
  if (min !== undefined && !(Number.isSafeInteger(min) && Number(min) >= 0))
    return "needs a whole number from 0 for `min`";
  return undefined;
};

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
