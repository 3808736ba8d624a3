import { z } from "zod";
import { type OptionNames, unknownOption } from "../domain/known-options.ts";

/** One field of the inputs of a declared scraper. */
interface DeclaredInput {
  readonly type?: "string" | "number" | "boolean";
  /** The text must match it as a whole. */
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly required?: boolean;
  readonly default?: string | number | boolean;
  readonly description?: string;
}

const INPUT_OPTIONS: OptionNames<DeclaredInput> = {
  type: true,
  pattern: true,
  enum: true,
  required: true,
  default: true,
  description: true,
};

const NAME = /^[A-Za-z_][\w-]{0,63}$/;
const MOST_INPUTS = 100;
const MOST_TEXT = 10_000;

/** The schema of the inputs, and those that always have a value: only these can be placeholders. */
export interface InputSchema {
  readonly schema: z.ZodObject;
  readonly names: readonly string[];
  readonly always: readonly string[];
}

/** `{ parcel: { type: string, pattern: "[0-9]{10}" } }`, or `{ parcel: string }`. Throws a `TypeError`. */
export const inputSchema = (
  declared: unknown,
  { allowsPatterns }: { readonly allowsPatterns: boolean },
): InputSchema => {
  if (typeof declared !== "object" || declared === null || Array.isArray(declared))
    throw new TypeError("`input` must be an object of fields, for example { parcel: { type: string } }");
  const entries = Object.entries(declared);
  if (entries.length === 0 || entries.length > MOST_INPUTS)
    throw new TypeError(`\`input\` must have 1 to ${MOST_INPUTS} fields`);
  const always: string[] = [];
  const shape = entries.map(([name, given]) => {
    const what = `\`input.${name}\``;
    if (!NAME.test(name)) throw new TypeError(`${what}: a name has 1 to 64 letters, digits, - and _`);
    const field = checked(typeof given === "string" ? { type: given } : given, what);
    if (field.pattern !== undefined && !allowsPatterns)
      throw new TypeError(
        `${what}: patterns are only for scrapers of operators. Use \`enum\`, or leave it out`,
      );
    if (field.required !== false || field.default !== undefined) always.push(name);
    return [name, schemaOf(field, what)] as const;
  });
  return { schema: z.object(Object.fromEntries(shape)), names: entries.map(([name]) => name), always };
};

const checked = (given: unknown, what: string): DeclaredInput => {
  const unknown = unknownOption(given ?? null, INPUT_OPTIONS, what);
  if (unknown !== undefined) throw new TypeError(unknown);
  const { type = "string", pattern, enum: choices, required = true, default: usual } = given as DeclaredInput;
  if (!["string", "number", "boolean"].includes(type))
    throw new TypeError(`${what}: \`type\` must be string, number or boolean`);
  if (typeof required !== "boolean") throw new TypeError(`${what}: \`required\` must be true or false`);
  if (type !== "string" && (pattern !== undefined || choices !== undefined))
    throw new TypeError(`${what}: \`pattern\` and \`enum\` are for texts`);
  if (pattern !== undefined && typeof pattern !== "string")
    throw new TypeError(`${what}: \`pattern\` must be a string`);
  if (
    choices !== undefined &&
    !(Array.isArray(choices) && choices.length > 0 && choices.every((one) => typeof one === "string"))
  )
    throw new TypeError(`${what}: \`enum\` must be a list of strings; put numbers in quotes`);
  if (usual !== undefined && typeof usual !== type)
    throw new TypeError(`${what}: \`default\` must be a ${type}`);
  return given as DeclaredInput;
};

/** Numbers and booleans may come as texts: a CSV file has nothing else. */
const schemaOf = (field: DeclaredInput, what: string): z.ZodType => {
  const { type = "string", required = true, default: usual, description } = field;
  const plain =
    type === "number"
      ? z.union([
          z.number(),
          z
            .string()
            .regex(/^-?\d+(?:\.\d+)?$/, "expected a number")
            .transform(Number),
        ])
      : type === "boolean"
        ? z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")])
        : textSchema(field, what);
  const described = description === undefined ? plain : plain.describe(description);
  if (usual !== undefined) return described.default(usual as never);
  return required ? described : described.optional();
};

const textSchema = ({ pattern, enum: choices }: DeclaredInput, what: string): z.ZodType => {
  if (choices) return z.enum(choices as [string, ...string[]]);
  const text = z.string().min(1, "expected a string that is not empty").max(MOST_TEXT);
  if (pattern === undefined) return text;
  try {
    return text.regex(new RegExp(`^(?:${pattern})$`, "u"), `expected a string like ${pattern}`);
  } catch (error) {
    throw new TypeError(`${what}: \`pattern\` is not a regular expression: ${(error as Error).message}`, {
      cause: error,
    });
  }
};
