/** A number from 0 to 2³²-1 that depends on nothing but its arguments: the whole county is made of these. */
export function draw(seed: number, n: number, salt: number): number {
  return mix(mix(Math.imul(n, 0x9e3779b1) ^ seed) ^ Math.imul(salt + 1, 0x85ebca6b));
}

// The finaliser of MurmurHash3: every input bit reaches every output bit.
function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

export function pick<const T extends readonly unknown[]>(choices: T, drawn: number): T[number] {
  return choices[drawn % choices.length];
}
