/** Of one job: its keys are hashed with it, so that nobody can choose keys that collide. Null in jobs made before there were seeds. */
type KeySeed = number | null;

/** 53 random bits. */
export const randomSeed = (): number => {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high! >>> 11) * 0x100000000 + low!;
};

/**
 * 53 bits, so that it stays a safe integer and a small index entry. It only finds candidates: equal hashes are told apart by the key's text.
 * HalfSipHash with one round per word and three at the end, over pairs of UTF-16 units.
 */
export const keyHash = (key: string, seed: KeySeed): number => {
  if (seed === null) return unseededHash(key);
  const low = seed | 0;
  const high = (seed / 0x100000000) | 0;
  let [v0, v1, v2, v3] = [low, high, low ^ 0x6c796765, high ^ 0x74656463];
  const words = (key.length + 1) >> 1;
  for (let n = 0; n < words + 4; n++) {
    const at = 2 * n;
    let word = 0;
    if (n < words) word = key.charCodeAt(at) | (at + 1 < key.length ? key.charCodeAt(at + 1) << 16 : 0);
    else if (n === words) word = key.length;
    else if (n === words + 1) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  const a = v1 ^ v3;
  const b = v0 ^ v2;
  return (a >>> 0) * 0x200000 + (b >>> 11);
};

/** The next place to look when a different key has this hash. */
export const nextHash = (hash: number): number => (hash + 1) % Number.MAX_SAFE_INTEGER;

const unseededHash = (key: string): number => {
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
