import assert from "node:assert/strict";
import { test } from "node:test";
import { readFunctions } from "./read-functions.ts";

const SOURCE = `
export const other = {
  no: (): void => undefined,
};

export const by = {
  /** As a person
   * reads it. */
  text: <const T extends string = string>(
    where: Where,
    options: TextOptions<T> = {},
  ): Field<T> => textField("text", where, options),

  label: (label: string, { within }: Within = {}): Place => {
    const key = { how: (one: string) => one };
    return key;
  },

  /** In JSON. */
  json: (css: string, path = ""): Place => ({
    by: css,
  }),

  /** Made elsewhere. */
  table: tableField,
};
`;

test("functions come with their call as it is written, their comment, and nothing of their body", () => {
  const read = readFunctions(SOURCE, "by").map(({ name, type, says }) => [name, type, says]);
  assert.deepEqual(read, [
    ["text", "(where: Where, options?: TextOptions<T>): Field<T>", "As a person reads it."],
    ["label", "(label: string, options?: Within): Place", ""],
    ["json", "(css: string, path?: string): Place", "In JSON."],
    ["table", "", "Made elsewhere."],
  ]);
});

test("an unknown object is an error", () => {
  assert.throws(() => readFunctions(SOURCE, "field"), /no object field/);
});
