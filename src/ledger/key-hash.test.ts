import assert from "node:assert/strict";
import { test } from "node:test";
import { keyHash, randomSeed } from "./item-keys.ts";

const keys = Array.from({ length: 200_000 }, (_, i) => `https://site.test/parcel/${i}`);

test("a key has one hash per seed, a safe integer, spread over all of them", () => {
  const seed = randomSeed();
  assert.ok(Number.isSafeInteger(seed));
  const hashes = keys.map((key) => keyHash(key, seed));
  assert.equal(new Set(hashes).size, keys.length);
  assert.ok(hashes.every((hash) => Number.isSafeInteger(hash) && hash >= 0));
  assert.deepEqual(
    hashes.slice(0, 100),
    keys.slice(0, 100).map((key) => keyHash(key, seed)),
  );
  // The share of each bit that is set: a constant bit would halve the space.
  for (let bit = 0; bit < 53; bit++) {
    const set = hashes.filter((hash) => Math.floor(hash / 2 ** bit) % 2 === 1).length;
    assert.ok(Math.abs(set / hashes.length - 0.5) < 0.01, `bit ${bit}: ${set}`);
  }
});

test("keys that differ only in length or in their last unit have different hashes", () => {
  const near = ["", "\0", "\0\0", "\0\0\0", "a", "a\0", "ab", "aB", "abc"];
  assert.equal(new Set(near.map((key) => keyHash(key, 1))).size, near.length);
});

test("keys chosen to collide under one seed, or without, do not under another", () => {
  const [one, two] = ["caa撊鱂", "caa馋痕"];
  assert.equal(keyHash(one, null), keyHash(two, null));
  assert.notEqual(keyHash(one, 7), keyHash(two, 7));
  assert.notEqual(keyHash(one, 7), keyHash(one, 8));
});
