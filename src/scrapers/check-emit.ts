import { ScraperLoadError } from "./scraper-load-error.ts";

const BY_FIELDS = ["from", "each", "input", "with", "min"];
const BY_FUNCTION = ["from", "inputs", "min"];

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
    if (!isObject(one) || !("target" in one) || !isObject(one["spec"]))
      return refuse(`\`${where}\` must be made with emitTo: \`emitTo(detail, { input: { … } })\`.`);
    if (one["target"] === undefined)
      return refuse(
        `\`${where}\` has no target. Two files that import each other cannot emit to each other: put one of the scrapers in a file of its own.`,
      );
    if (one["target"] !== "self") checkTarget(one["target"], where);
    const problem = problemOf(one["spec"]);
    if (problem !== undefined) return refuse(`\`${where}\` ${problem}.`);
  }
};

const problemOf = (spec: Readonly<Record<string, unknown>>): string | undefined => {
  const { from, each, input, inputs, with: added, min } = spec;
  if ((input === undefined) === (inputs === undefined))
    return "needs either `input`, fields to look for on the page, or `inputs`, a function that gives them";
  const words = inputs === undefined ? BY_FIELDS : BY_FUNCTION;
  const unknown = Object.keys(spec).find((word) => !words.includes(word));
  if (unknown !== undefined) return `has no \`${unknown}\`: it takes { ${words.join(", ")} }`;
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
