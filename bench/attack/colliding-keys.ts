import { keyHash } from "../../src/ledger/item-keys.ts";

/**
 * Texts that have one hash in a ledger whose hash has no secret (`keyHash` with null, as it was before there were seeds). Its state is two words of 32
 * bits. Pieces of two characters that lead to the same first word are easily found; of the 2^17 texts that 17 such choices make, two have the same second
 * word as well. Each such pair doubles the texts.
 */
export const collidingKeys = (count: number): string[] => {
  let keys = [""];
  let state: State = START;
  while (keys.length < count) {
    const pair = findPair(state);
    keys = keys.flatMap((key) => pair.map((piece) => key + piece));
    for (const code of codesOf(pair[0])) state = step(state, code);
  }
  const hashes = new Set(keys.map((key) => keyHash(key, null)));
  if (hashes.size !== 1 || new Set(keys).size !== keys.length) throw new Error("these keys do not collide");
  return keys.slice(0, count);
};

type State = readonly [a: number, b: number];

const START: State = [0x9e3779b1 | 0, 0x85ebca77 | 0];

const stepFirst = (a: number, code: number): number => Math.imul(a ^ code, 0x01000193);

const stepSecond = (b: number, code: number): number => {
  const next = Math.imul(b + code, 0x27d4eb2f);
  return next ^ (next >>> 15);
};

const step = ([a, b]: State, code: number): State => [stepFirst(a, code), stepSecond(b, code)];

const codesOf = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

/** Characters that are themselves in every encoding: no controls, no halves of a pair. */
const FIRST = 0xa1;
const LAST = 0xd7ff;
const CHOICES = 17;

const findPair = ([a, b]: State): readonly [string, string] => {
  const choices: (readonly [string, string])[] = [];
  let first = a;
  let seconds = [b];
  for (let n = 0; n < CHOICES; n++) {
    const pair = sameFirst(first);
    choices.push(pair);
    for (const code of codesOf(pair[0])) first = stepFirst(first, code);
    seconds = seconds.flatMap((at) => pair.map((piece) => codesOf(piece).reduce(stepSecond, at)));
  }
  const seen = new Map<number, number>();
  for (const [at, second] of seconds.entries()) {
    const other = seen.get(second);
    if (other !== undefined) return [textOf(choices, at), textOf(choices, other)];
    seen.set(second, at);
  }
  // By chance there was none: from another state there is.
  const [left, right] = findPair(step([a, b], FIRST));
  return [String.fromCharCode(FIRST) + left, String.fromCharCode(FIRST) + right];
};

/** The choices are the bits of the place, the last one the least. */
const textOf = (choices: readonly (readonly [string, string])[], place: number): string =>
  choices.map((pair, n) => pair[(place >> (CHOICES - 1 - n)) & 1]!).join("");

/** The high halves after the first character must be the same; the second one makes the low ones the same. */
const sameFirst = (a: number): readonly [string, string] => {
  const byHigh = new Map<number, number>();
  for (let code = FIRST; code <= LAST; code++) {
    const high = stepFirst(a, code) >>> 16;
    const other = byHigh.get(high);
    if (other === undefined) {
      byHigh.set(high, code);
      continue;
    }
    const apart = stepFirst(a, code) ^ stepFirst(a, other);
    for (let next = FIRST; next <= LAST; next++)
      if ((next ^ apart) >= FIRST && (next ^ apart) <= LAST)
        return [String.fromCharCode(code, next), String.fromCharCode(other, next ^ apart)];
  }
  throw new Error("no such pair");
};
