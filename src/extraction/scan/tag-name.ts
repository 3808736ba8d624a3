import { GREATER, isNameEnd, lowerCase } from "./markup-codes.ts";
import type { PageCodes } from "./page-codes.ts";
import { known } from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";

/** Known names by hash, open addressing: no string is made to find the kind of a tag. */
const SLOTS = 1024;
const slots: (TagKind | undefined)[] = Array.from({ length: SLOTS }, () => undefined);

/** Of a name's lower-case letters in turn, from 0. */
const hashed = (hash: number, code: number): number => (Math.imul(hash, 33) ^ code) | 0;

for (const kind of known.values()) {
  let hash = 0;
  for (let at = 0; at < kind.name.length; at++) hash = hashed(hash, kind.name.charCodeAt(at));
  let slot = hash & (SLOTS - 1);
  while (slots[slot] !== undefined) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = kind;
}

/** The name of a tag, whatever its case. */
export class TagName {
  end = 0;
  /** Undefined when it is not a known one. */
  kind: TagKind | undefined;

  read(codes: PageCodes, from: number, length: number): void {
    let at = from;
    let hash = 0;
    let seen = 0;
    for (; at < length; at++) {
      const code = codes[at] ?? 0;
      if (code <= GREATER && isNameEnd(code)) break;
      seen |= code;
      hash = hashed(hash, lowerCase(code));
    }
    this.end = at;
    // Only ASCII letters have two cases.
    this.kind = seen < 128 ? kindAt(codes, from, at, hash) : undefined;
  }
}

function kindAt(codes: PageCodes, from: number, to: number, hash: number): TagKind | undefined {
  for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const kind = slots[slot];
    if (kind === undefined || isNamed(kind.name, codes, from, to)) return kind;
  }
}

function isNamed(name: string, codes: PageCodes, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let at = 0; at < name.length; at++) {
    if (lowerCase(codes[from + at] ?? 0) !== name.charCodeAt(at)) return false;
  }
  return true;
}
