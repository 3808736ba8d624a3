import { isDeepStrictEqual } from "node:util";
import { looksGenerated } from "../devtools/draft/short-selector.ts";
import { compileSelector } from "../extraction/selector.ts";
import type { AbsentSign } from "./chain.ts";
import { stepTo } from "./json-paths.ts";
import type { RecordedAnswer } from "./location.ts";
import { hasSign } from "./run-chain.ts";

/** Statuses by which sites say that something does not exist. Others are failures of the site. */
export const ABSENT_STATUSES: readonly number[] = [400, 404, 410, 422];

/**
 * What all responses to absent inputs have, and no response to others: a status, a value in JSON, an element, a sentence. A missing value is not a
 * sign: a changed page lacks it too.
 */
export const findSign = (
  absent: readonly RecordedAnswer[],
  present: readonly RecordedAnswer[],
): AbsentSign | undefined => {
  const [first] = absent;
  if (first === undefined) return undefined;
  const isSign = (sign: AbsentSign): boolean =>
    absent.every((answer) => hasSign(sign, answer)) && !present.some((answer) => hasSign(sign, answer));
  if (ABSENT_STATUSES.includes(first.status)) {
    const sign: AbsentSign = { by: "status", status: first.status };
    if (isSign(sign)) return sign;
  }
  if (first.json !== undefined) return jsonSigns(first.json).find(isSign);
  return [...elementSigns(first), ...textSigns(first)].find(isSign);
};

/** Values that mean "none", the clearest first: an empty list, then false and 0, then null. Near the root before deep ones. */
const jsonSigns = (json: unknown): AbsentSign[] => {
  const found: { readonly path: string; readonly value: unknown; readonly rank: number }[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    const rank = RANKED.findIndex((one) => isDeepStrictEqual(one, value));
    const isWord = typeof value === "string" && value !== "" && value.length < LONGEST;
    if (rank >= 0 || isWord)
      found.push({ path, value, rank: depth + (rank < 0 ? 10 * RANKED.length : 10 * rank) });
    if (typeof value === "object" && value !== null)
      for (const [key, inside] of Object.entries(value))
        visit(inside, stepTo(path, key, Array.isArray(value)), depth + 1);
  };
  visit(json, "", 0);
  return found.toSorted((a, b) => a.rank - b.rank).map(({ path, value }) => ({ by: "json", path, value }));
};

const RANKED: readonly unknown[] = [[], false, 0, null, {}, ""];
const LONGEST = 100;

const SAYS_NONE =
  /no[-_]?(?:results?|match|records?|data|hits?|items?)|not[-_]?found|empty|none|nothing|error|alert|message|warning/i;

/** Elements by id or class; those whose name says it first. */
const elementSigns = ({ document }: RecordedAnswer): AbsentSign[] => {
  const names = new Set<string>();
  for (const element of document.all(compileSelector("[id], [class]"))) {
    const id = document.attr(element, "id") ?? "";
    const classes = (document.attr(element, "class") ?? "").split(/\s+/);
    if (isPlain(id)) names.add(`#${id}`);
    for (const one of classes) if (isPlain(one)) names.add(`.${one}`);
  }
  const sorted = [...names].toSorted((a, b) => Number(SAYS_NONE.test(b)) - Number(SAYS_NONE.test(a)));
  return sorted.map((css) => ({ by: "element", css }));
};

const isPlain = (name: string): boolean => /^[A-Za-z_][\w-]*$/.test(name) && !looksGenerated(name);

/** Sentences of elements without other elements. */
const textSigns = ({ document, text }: RecordedAnswer): AbsentSign[] =>
  document
    .all(compileSelector("body *"))
    .filter(
      (element) =>
        element.tag !== "script" && element.tag !== "style" && document.childrenOf(element).length === 0,
    )
    .map((element) => document.rawTextOf(element).trim())
    .filter(
      (words) => /\p{L}{2}.*\s.*\p{L}{2}/u.test(words) && words.length < LONGEST && text.includes(words),
    )
    .map((words) => ({ by: "text", text: words }));
