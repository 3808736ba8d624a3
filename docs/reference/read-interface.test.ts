import assert from "node:assert/strict";
import { test } from "node:test";
import { readInterface } from "./read-interface.ts";

const SOURCE = `
export interface Other {
  readonly no: string;
}

export interface Options<T> extends Other {
  /** How many. */
  readonly count?: number;
  /**
   * Says true,
   * or what is wrong.
   */
  readonly check?: (value: T) => true | string;
  readonly choice:
    | "a"
    /** Not this one. */
    | "b";
  get(url: string): Promise<void>;
}
`;

test("members come with their type, their comment and whether they may be left out", () => {
  assert.deepEqual(readInterface(SOURCE, "Options"), [
    { name: "count", isOptional: true, type: "number", says: "How many." },
    {
      name: "check",
      isOptional: true,
      type: "(value: T) => true | string",
      says: "Says true, or what is wrong.",
    },
    { name: "choice", isOptional: false, type: '| "a" /** Not this one. */ | "b"', says: "" },
    { name: "get", isOptional: false, type: "(url: string): Promise<void>", says: "" },
  ]);
});

test("an unknown interface is an error", () => {
  assert.throws(() => readInterface(SOURCE, "Option"), /no interface Option/);
});
