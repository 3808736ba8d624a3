import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import { isLook, looksGenerated } from "./looks-generated.ts";

/** Attributes that name what an element is, written by people for programs. */
const NAMING = ["itemprop", "data-testid", "data-test", "data-qa", "data-field", "data-name", "data-label"];

const NAME = /^[A-Za-z_][\w-]*$/;
/** Ancestors that are looked at for an anchor, nearest first. */
const REACH = 12;

/**
 * A selector of at most two steps that finds these elements and no other; undefined where there is none that would last. `within`: relative
 * to that element, as the fields of a row are.
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

/** The nearest element above that has a selector of one step to itself. */
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

/** Ways to name an element by itself, the most lasting first. A tag alone is one only for those that a page has once. */
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

/** Tags that say what stands in them. The only `a` or `td` of a block may on the next page be another one. */
const TELLING = new Set("h1 h2 h3 h4 h5 h6 time address blockquote table li img".split(" "));
const ONCE = new Set(["h1", "main", "article", "address", "time"]);

/** The classes of an element that name it, as people write them. */
export const namingClasses = (document: HtmlDocument, element: HtmlElement): string[] =>
  (document.attr(element, "class") ?? "")
    .split(/\s+/)
    .filter((word) => NAME.test(word) && !looksGenerated(word) && !isLook(word));
