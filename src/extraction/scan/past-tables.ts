import {
  BANG,
  GREATER,
  isLetter,
  isSpace,
  LESS,
  pastDeclaration,
  pastGreater,
  QUESTION,
  rawContentEnd,
  SLASH,
} from "./markup.ts";
import { KNOWN_KINDS, knownKinds, type TagKind, TagName } from "./tag-kind.ts";
import type { TreeState } from "./tree-state.ts";

const { CAPTION, TABLE, TBODY, TD, TFOOT, TH, THEAD, TR } = knownKinds(
  "CAPTION TABLE TBODY TD TFOOT TH THEAD TR",
);

const isCell = (kind: TagKind | undefined): boolean => kind === TD || kind === TH;
const isSection = (kind: TagKind | undefined): boolean => kind === TBODY || kind === THEAD || kind === TFOOT;
const holdsContent = (kind: TagKind | undefined): boolean => isCell(kind) || kind === CAPTION;

/** What a tag means to the tables around it, by the kind's id. Others mean nothing inside a cell. */
const PART = 1;
const RAW = 2;
/** Has its own rules for the tags inside it. */
const APART = 3;
const meanings = new Uint8Array(KNOWN_KINDS);
const mean = (meaning: number, names: string): void => {
  for (const { id } of Object.values(knownKinds(names))) meanings[id] = meaning;
};
mean(PART, "table caption col colgroup tbody td tfoot th thead tr");
mean(RAW, "script style title textarea iframe noembed noframes");
mean(APART, "svg template select html body frameset image math plaintext xmp");
/** Stays between the cells of a table; and end tags that create elements. */
const STAYS = new Set(Object.values(knownKinds("script style form")));
const MAKES = new Set(Object.values(knownKinds("p br")));

/**
 * Where the last of the tables open at `from` ends, if nothing is moved out of them on the way; -1 if something may be.
 * Follows only the parts of tables: the content of a cell stays there. Where it is not sure, the rules must decide.
 */
export function pastTables(state: TreeState, from: number): number {
  const { text, codes, attributes } = state;
  const { length } = text;
  const open = openParts(state);
  if (open === undefined) return -1;
  const name = new TagName();
  let at = from;
  let isInside = holdsContent(open.at(-1));
  while (open.length > 0) {
    if (!isInside) while (isSpace(codes[at] ?? 0)) at++;
    const less = codes[at] === LESS ? at : text.indexOf("<", at);
    if (!isInside && less !== at && at < length) return -1;
    if (less === -1) return length;
    const next = codes[less + 1] ?? 0;
    if (next === BANG || next === QUESTION) {
      at = pastDeclaration(text, less);
      continue;
    }
    const isEnd = next === SLASH;
    const nameFrom = isEnd ? less + 2 : less + 1;
    if (!isLetter(codes[nameFrom] ?? 0)) {
      const isText = !isEnd || nameFrom === length;
      if (isText && !isInside) return -1;
      at = isText ? nameFrom : pastGreater(text, nameFrom);
      continue;
    }
    name.read(codes, nameFrom, length);
    const { kind } = name;
    if (codes[name.end] === GREATER) at = name.end + 1;
    else {
      attributes.forget();
      at = attributes.read(name.end);
      if (at === -1) return length;
    }
    const meaning = kind === undefined ? 0 : meanings[kind.id];
    if (isInside && meaning === 0) continue;
    if (kind === undefined) {
      if (!isEnd) return -1;
    } else if (isEnd) {
      if (!endTag(open, kind)) return -1;
      isInside = holdsContent(open.at(-1));
    } else if (meaning === PART) {
      startPart(open, kind);
      isInside = holdsContent(open.at(-1));
    } else if (meaning === APART || !(isInside || STAYS.has(kind))) return -1;
    else if (meaning === RAW) {
      const end = rawContentEnd(text, kind, at);
      if (end === -1) return length;
      attributes.forget();
      at = attributes.read(end + 2 + kind.name.length);
      if (at === -1) return length;
    }
  }
  return at;
}

/** The open tables with their parts; undefined where other rules apply. */
function openParts({ kinds, top, mode, isInTemplate }: TreeState): TagKind[] | undefined {
  if (mode === "in select" || isInTemplate) return undefined;
  const open: TagKind[] = [];
  for (let slot = 1; slot <= top; slot++) {
    const kind = kinds[slot];
    if (kind === undefined || kind.isForeign) return undefined;
    // A column group ends with the next tag that is not a column.
    if (kind === TABLE || holdsContent(kind) || kind === TR || isSection(kind)) open.push(kind);
  }
  return open;
}

function startPart(open: TagKind[], kind: TagKind): void {
  if (holdsContent(open.at(-1))) {
    if (kind === TABLE) {
      open.push(kind);
      return;
    }
    open.pop();
  } else if (kind === TABLE) {
    endTable(open);
    // A table after the last one is not one of those that were open.
    if (open.length > 0) open.push(kind);
    return;
  }
  if (isCell(kind) || kind === TR) {
    if (kind === TR && open.at(-1) === TR) open.pop();
    if (open.at(-1) === TABLE) open.push(TBODY);
    if (kind !== TR && open.at(-1) !== TR) open.push(TR);
    open.push(kind);
    return;
  }
  if (open.at(-1) === TR) open.pop();
  if (open.at(-1) !== TABLE) open.pop();
  if (isSection(kind) || kind === CAPTION) open.push(kind);
}

/** False if something may move. */
function endTag(open: TagKind[], kind: TagKind): boolean {
  if (holdsContent(open.at(-1))) {
    if (kind !== open.at(-1) && !endsCell(open, kind)) return true;
    const ended = open.pop();
    if (kind === ended) return true;
  }
  if (kind === TABLE) endTable(open);
  else if (MAKES.has(kind)) return false;
  else if (kind === open.at(-1)) open.pop();
  else if (isSection(kind) && open.at(-1) === TR) {
    // A section of another kind: parse5 and browsers do not agree.
    if (open.at(-2) !== kind) return false;
    open.length -= 2;
  }
  return true;
}

/** Whether the end tag is that of a part of the table around the cell or caption. */
function endsCell(open: TagKind[], kind: TagKind): boolean {
  if (kind === TABLE) return true;
  if (open.at(-1) === CAPTION) return false;
  return kind === TR || (isSection(kind) && open.at(-3) === kind);
}

function endTable(open: TagKind[]): void {
  while (open.pop() !== TABLE);
}
