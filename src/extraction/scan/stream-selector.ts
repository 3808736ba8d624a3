import { _compileUnsafe, type Options } from "css-select";
import {
  AttributeAction,
  type AttributeSelector,
  isTraversal,
  parse,
  type Selector,
  SelectorType,
} from "css-what";
import type { OpenElement } from "./open-element.ts";

export type Combinator = "descendant" | "child" | "adjacent" | "sibling";

type Test = (element: OpenElement) => boolean;

/** The part of a selector between combinators. An element must match all of it. */
export interface Compound {
  /** Separate from `tests`, because it rules out most elements without a test. */
  readonly tag: string | undefined;
  readonly needsId: boolean;
  readonly needsClass: boolean;
  readonly countsTypes: boolean;
  readonly tests: readonly Test[];
}

/** `table > tr td`: compounds from left to right, with the combinators between them. */
export interface Chain {
  readonly compounds: readonly Compound[];
  readonly combinators: readonly Combinator[];
}

/** Whether the selector applies to the whole page, or is relative to a row. */
export type Reach = "page" | "row";

// The first compound of a row's chain is the row itself.
const scope = compoundOf({ tests: [({ isScope }) => isScope] });
const outermost = compoundOf({ tests: [({ isOutermost }) => isOutermost] });

/**
 * The selector as chains, one of which an element must match, using only what is known when its start tag has been read.
 * Undefined if that is not enough (`:has`, `:last-child`, `:contains` …): such a selector needs the document. Semantics are those of
 * css-select; `css` is valid.
 */
export function streamSelector(css: string, reach: Reach): readonly Chain[] | undefined {
  const chains: Chain[] = [];
  for (const tokens of parse(css)) {
    const chain = chainOf(tokens, reach);
    if (chain === undefined) return undefined;
    chains.push(chain);
  }
  return chains;
}

function chainOf(tokens: readonly Selector[], reach: Reach): Chain | undefined {
  const parts: Selector[][] = [[]];
  const combinators: Combinator[] = [];
  for (const token of tokens) {
    if (!isTraversal(token)) parts.at(-1)?.push(token);
    else {
      const combinator = COMBINATORS.get(token.type);
      if (combinator === undefined) return undefined;
      combinators.push(combinator);
      parts.push([]);
    }
  }
  const compounds: Compound[] = [];
  for (const part of parts) {
    const compound = part.length === 0 ? compoundOf({}) : compoundOfTokens(part, reach);
    if (compound === undefined) return undefined;
    compounds.push(compound);
  }
  const isRelative = parts[0]?.length === 0;
  if (isRelative) compounds[0] = reach === "row" ? scope : outermost;
  if (reach === "page") return { compounds, combinators };

  const scopes = parts.map((part) => part.some(mentionsScope));
  const mentions = scopes.filter(Boolean).length;
  if (!isRelative && mentions === 0) {
    return { compounds: [scope, ...compounds], combinators: ["descendant", ...combinators] };
  }
  // Elements beside or above the row are not known from the row's content.
  const isBelow = combinators.length > 0 && combinators[0] !== "adjacent" && combinators[0] !== "sibling";
  const isPlain = mentions === 0 || (mentions === 1 && scopes[0] === true && !parts.some(hasSubselectors));
  return isBelow && isPlain ? { compounds, combinators } : undefined;
}

const COMBINATORS: ReadonlyMap<SelectorType, Combinator> = new Map([
  [SelectorType.Descendant, "descendant"],
  [SelectorType.Child, "child"],
  [SelectorType.Adjacent, "adjacent"],
  [SelectorType.Sibling, "sibling"],
]);

const mentionsScope = (token: Selector): boolean =>
  token.type === SelectorType.Pseudo &&
  (token.name === "scope" ||
    (Array.isArray(token.data) && token.data.some((part) => part.some(mentionsScope))));

/** In a row, css-select reads `:is(.a)` as `:is(:scope .a)`, which differs for the row itself. */
const hasSubselectors = (part: readonly Selector[]): boolean =>
  part.some((token) => token.type === SelectorType.Pseudo && Array.isArray(token.data));

function compoundOf(parts: Partial<Compound>): Compound {
  return { tag: undefined, needsId: false, needsClass: false, countsTypes: false, tests: [], ...parts };
}

function compoundOfTokens(tokens: readonly Selector[], reach: Reach): Compound | undefined {
  let tag: string | undefined;
  let needsId = false;
  let needsClass = false;
  let countsTypes = false;
  const tests: Test[] = [];
  for (const token of tokens) {
    if (token.type === SelectorType.Universal) {
      if (token.namespace !== null && token.namespace !== "*") return undefined;
      continue;
    }
    if (token.type === SelectorType.Tag && token.namespace === null && tag === undefined) {
      tag = token.name.toLowerCase();
      continue;
    }
    const test = testOf(token, reach);
    if (test === undefined) return undefined;
    needsId ||= needsAttribute(token, "id");
    needsClass ||= needsAttribute(token, "class");
    countsTypes ||= mentionsTypes(token);
    tests.push(test);
  }
  return compoundOf({ tag, needsId, needsClass, countsTypes, tests });
}

const needsAttribute = (token: Selector, name: string): boolean =>
  token.type === SelectorType.Attribute &&
  token.name.toLowerCase() === name &&
  token.action !== AttributeAction.Not;

const mentionsTypes = (token: Selector): boolean =>
  token.type === SelectorType.Pseudo &&
  (token.name.endsWith("of-type") ||
    (Array.isArray(token.data) && token.data.some((part) => part.some(mentionsTypes))));

function testOf(token: Selector, reach: Reach): Test | undefined {
  if (token.type === SelectorType.Tag && token.namespace === null) {
    const wanted = token.name.toLowerCase();
    return ({ name }) => name === wanted;
  }
  if (token.type === SelectorType.Attribute && token.namespace === null) {
    const { action, value, ignoreCase } = token;
    const isPlain = ignoreCase === "quirks" && value !== "" && !/[&\s]/.test(value);
    if (isPlain && action === AttributeAction.Equals) return (element) => element.hasId(value);
    if (isPlain && action === AttributeAction.Element) return (element) => element.hasClass(value);
    return attributeTest(token);
  }
  return token.type === SelectorType.Pseudo ? pseudoTest(token.name, token.data, reach) : undefined;
}

function pseudoTest(name: string, data: string | Selector[][] | null, reach: Reach): Test | undefined {
  switch (name) {
    case "first-child":
      return data === null ? ({ before }) => before === 0 : undefined;
    case "first-of-type":
      return data === null ? ({ beforeOfType }) => beforeOfType === 0 : undefined;
    case "nth-child":
    case "nth-of-type": {
      const rule = typeof data === "string" ? parseNth(data) : undefined;
      if (rule === undefined) return undefined;
      if (rule.isEvery) return ({ isOutermost }) => !isOutermost;
      return name === "nth-child"
        ? ({ before }) => rule.matches(before)
        : ({ beforeOfType }) => rule.matches(beforeOfType);
    }
    case "root":
      return data === null ? ({ isOutermost }) => isOutermost : undefined;
    case "scope":
      if (data !== null) return undefined;
      return reach === "row" ? ({ isScope }) => isScope : ({ isOutermost }) => isOutermost;
    case "is":
    case "where":
    case "matches":
    case "not": {
      const choices = Array.isArray(data)
        ? data.map((tokens) => subselectorTest(tokens, reach))
        : [undefined];
      const tests = choices.filter((test) => test !== undefined);
      if (tests.length < choices.length) return undefined;
      const fits: Test = (element) => tests.some((test) => test(element));
      return name === "not" ? (element) => !fits(element) : fits;
    }
    default:
      return undefined;
  }
}

function subselectorTest(tokens: readonly Selector[], reach: Reach): Test | undefined {
  const tests: Test[] = [];
  for (const token of tokens) {
    if (token.type === SelectorType.Universal && token.namespace === null) continue;
    const test = testOf(token, reach);
    if (test === undefined) return undefined;
    tests.push(test);
  }
  return (element) => tests.every((test) => test(element));
}

/** An `an+b` rule, tested by how many siblings precede the element. */
interface NthRule {
  matches(before: number): boolean;
  /** `n` and the like: in css-select they match every element but the outermost ones. */
  readonly isEvery: boolean;
}

/** Undefined for anything but `an+b`, such as `2 of .row`. */
function parseNth(formula: string): NthRule | undefined {
  const text = formula.trim().toLowerCase();
  if (text === "even") return nthRule(2, 0);
  if (text === "odd") return nthRule(2, 1);
  if (/^[+-]?\d+$/.test(text)) return nthRule(0, Number(text));
  const parts = /^([+-]?)(\d*)n(?:[ \t\r\n\f]*([+-])[ \t\r\n\f]*(\d+))?$/.exec(text);
  if (parts === null) return undefined;
  const [, stepSign, step = "", offsetSign, offset = "0"] = parts;
  return nthRule(signed(stepSign, step === "" ? "1" : step), signed(offsetSign, offset));
}

const signed = (sign: string | undefined, digits: string): number =>
  sign === "-" ? -Number(digits) : Number(digits);

function nthRule(step: number, offset: number): NthRule {
  return {
    isEvery: step === 1 && offset <= 0,
    matches(before) {
      const past = before + 1 - offset;
      if (step === 0) return past === 0;
      return past % step === 0 && past / step >= 0;
    },
  };
}

/** css-select sees only an element and its attributes. */
const adapter: NonNullable<Options<OpenElement, OpenElement>["adapter"]> = {
  isTag: (_node): _node is OpenElement => true,
  getName: (element) => element.name,
  getAttributeValue: (element, name) => element.attribute(name),
  hasAttrib: (element, name) => element.attribute(name) !== undefined,
  getChildren: () => [],
  getParent: () => null,
  getSiblings: (element) => [element],
  getText: () => "",
  removeSubsets: (elements) => elements,
};

// Nothing may be cached: one `OpenElement` stands for every element of the page.
const attributeTest = (token: AttributeSelector): Test =>
  _compileUnsafe<OpenElement, OpenElement>([[token]], { adapter, cacheResults: false });
