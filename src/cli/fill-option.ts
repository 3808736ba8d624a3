import { InvalidArgumentError } from "commander";

/** `--fill NAME=VALUE`, again for each field. A number, true or false is kept as such; everything else is text. */
export const fillValue = (
  text: string,
  before: ReadonlyMap<string, unknown> | undefined,
): ReadonlyMap<string, unknown> => {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Give a field and what stands in its gaps, as in tax=0.");
  return new Map([...(before ?? []), [text.slice(0, at), plainValue(text.slice(at + 1))]]);
};

const plainValue = (text: string): unknown => {
  if (text === "true" || text === "false") return text === "true";
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text;
};

/** `--drop-without a,b`, or by giving the option again. */
export const fieldNames = (text: string, before: readonly string[] | undefined): readonly string[] => {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("Give the names of fields, as in owner,tax.");
  return [...(before ?? []), ...names];
};
