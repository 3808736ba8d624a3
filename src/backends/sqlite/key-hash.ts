/**
 * 53 bits, so that it stays a safe integer and a small index entry. It only finds candidates: equal hashes are told apart by
 * the key's text, so speed matters and collisions do not.
 */
export const keyHash = (key: string): number => {
  let a = 0x9e3779b1 | 0;
  let b = 0x85ebca77 | 0;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x27d4eb2f);
    b ^= b >>> 15;
  }
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
  b = Math.imul(b ^ (b >>> 13), 0x846ca68b);
  a ^= b >>> 14;
  b ^= a >>> 11;
  return (a >>> 0) * 0x200000 + (b >>> 11);
};

/** The next place to look when a different key has this hash. */
export const nextHash = (hash: number): number => (hash + 1) % Number.MAX_SAFE_INTEGER;
