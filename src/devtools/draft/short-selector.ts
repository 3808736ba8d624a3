import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";

/** Attributes that say what an element is. */
const NAMING = ["itemprop", "data-testid", "data-test", "data-qa", "data-field", "data-name", "data-label"];

const NAME = /^[A-Za-z_][\w-]*$/;
/** How many ancestors may be an anchor, nearest first. */
const REACH = 12;

/**
 * A selector of at most two steps that finds exactly these elements; undefined if no stable one exists. With `within`, it is relative to that
 * element, as fields of a row are.
 */
export const shortSelector = (
  document: HtmlDocument,
  targets: readonly HtmlElement[],
  within?: HtmlElement,
): string | undefined => {
  const [first] = targets;
  if (first === undefined) return undefined;
  const findsThem = (css: string): boolean => {
    const found = document.all(compileSelector(css), within);
    return found.length === targets.length && found.every((element, at) => element === targets[at]);
  };
  const own = sharedSteps(document, targets);
  const alone = own.find(findsThem);
  if (alone !== undefined) return alone;
  const isTagEnough =
    targets.every(({ tag }) => tag === first.tag) && (targets.length > 1 || TELLING.has(first.tag));
  const last = isTagEnough ? [...own, first.tag] : own;
  let above = document.parentOf(first);
  for (let height = 0; above !== undefined && above !== within && height < REACH; height++) {
    for (const anchor of stepsTo(document, above))
      for (const step of last) if (findsThem(`${anchor} ${step}`)) return `${anchor} ${step}`;
    above = document.parentOf(above);
  }
  return isTagEnough && findsThem(first.tag) ? first.tag : undefined;
};

/** The nearest ancestor with a unique selector of one step. */
export const anchorOf = (document: HtmlDocument, element: HtmlElement): string | undefined => {
  for (let above = document.parentOf(element); above !== undefined; above = document.parentOf(above)) {
    const found = stepsTo(document, above).find((css) => document.all(compileSelector(css)).length === 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

const sharedSteps = (document: HtmlDocument, [first, ...others]: readonly HtmlElement[]): string[] => {
  const rest = others.map((element) => new Set(stepsTo(document, element)));
  return first === undefined
    ? []
    : stepsTo(document, first).filter((step) => rest.every((steps) => steps.has(step)));
};

/** Ways to name an element, the most stable first. A tag alone counts only if a page has it once. */
const stepsTo = (document: HtmlDocument, element: HtmlElement): string[] => {
  const steps: string[] = [];
  const id = document.attr(element, "id");
  if (id !== undefined && NAME.test(id) && !looksGenerated(id)) steps.push(`#${id}`);
  for (const name of NAMING) {
    const value = document.attr(element, name);
    if (value !== undefined && /^[\w .-]{1,40}$/.test(value) && !looksGenerated(value))
      steps.push(`[${name}=${NAME.test(value) ? value : `"${value}"`}]`);
  }
  const classes = namingClasses(document, element);
  steps.push(...classes.map((each) => `.${each}`), ...classes.map((each) => `${element.tag}.${each}`));
  if (ONCE.has(element.tag)) steps.push(element.tag);
  return steps;
};

/** Tags that say what they contain. The only `a` or `td` of a block may be a different one on the next page. */
const TELLING = new Set("h1 h2 h3 h4 h5 h6 time address blockquote table li img".split(" "));
const ONCE = new Set(["h1", "main", "article", "address", "time"]);

/** The classes of an element that name it and were written by people. */
export const namingClasses = (document: HtmlDocument, element: HtmlElement): string[] =>
  (document.attr(element, "class") ?? "")
    .split(/\s+/)
    .filter((word) => NAME.test(word) && !looksGenerated(word) && !isLook(word));

/** Generated names: they change with the next build of the site, or from page to page. */
const SIGNS: readonly RegExp[] = [
  // ASP.NET, JSF, React's useId, GWT, Ember, ExtJS, YUI
  /^ctl\d|:|^j_id|^gwt-uid|^ember\d|^ext-|^yui/i,
  // styled-components, emotion, JSS, Angular
  /^(?:sc|css|jss|jsx|svelte)-|^_?ng[-_]/i,
  // numbers of rows, posts and instances
  /^\d|\d{3}/,
];

/** Whether an id or a class looks generated. False positives are harmless: there are other ways to the element. */
export const looksGenerated = (word: string): boolean =>
  SIGNS.some((sign) => sign.test(word)) || word.split(/[-_]+/).some(isHash);

/** `1k3f9`, `bdVaJa`, `c0ffee`: digits among letters, or capitals where no word begins. */
const isHash = (part: string): boolean => {
  if (part.length < 5) return false;
  if (/\d/.test(part) && !/^[A-Za-z]+\d{1,2}$/.test(part)) return true;
  const humps = part.split(/(?=[A-Z])/);
  return humps.length > 2 && part.length / humps.length < 2.6;
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const LOOKS = words(
  "odd even alt first last active current selected open hidden visible left right center top bottom clearfix container wrapper inner outer row col small large",
);
const LOOKS_BEFORE_A_DASH = words(
  "is has js no u m p mt mb ml mr mx my pt pb pl pr px py w h d col row text font bg border flex grid align justify float",
);

/** Whether a class describes only look, position or state: `text-right`, `col-md-6`, `odd`. */
export const isLook = (word: string): boolean => {
  const [before = "", ...rest] = word.toLowerCase().split("-");
  return LOOKS.has(word.toLowerCase()) || (rest.length > 0 && LOOKS_BEFORE_A_DASH.has(before));
};
