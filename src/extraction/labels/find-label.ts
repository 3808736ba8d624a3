import type { Finder } from "../find-place.ts";
import { foldedText, foldSpace } from "../folded-text.ts";
import type { HtmlDocument, HtmlElement } from "../html-document.ts";
import { TreeElement } from "../html-tree.ts";
import { type Hit, NO_HITS, type Place, type Taking } from "../place.ts";
import type { QueryLists } from "../query-lists.ts";
import { takeFrom } from "../scan/answer-by-document.ts";
import type { Scope } from "../scope.ts";
import { compileSelector } from "../selector.ts";
import { type LabelCandidate, SURE } from "./label-cell.ts";
import { LabelIndex, type LabelSpot } from "./label-index.ts";
import { valueAt } from "./label-value.ts";

/** A label that occurs more often in one record is not a label of it. */
const MOST_TRIED = 50;
const listItems = compileSelector("li");

/**
 * Finds the value of a label. A label may be on a page more than once (in a menu, a heading, a table): the value that the page's structure
 * makes surest wins, and among equals the first, even if it is blank: the next may belong to something else.
 */
export function findLabel(
  place: Extract<Place, { how: "label" }>,
  taking: Taking,
  lists: QueryLists,
): Finder {
  const within = place.within === undefined ? undefined : compileSelector(place.within);

  return (scope) => {
    const { view } = scope;
    const { document } = view;
    const root = within === undefined ? scope.element : document.first(within, scope.element);
    if (within !== undefined && root === undefined) return NO_HITS;
    const index = (view.labels ??= new LabelIndex(document, view.page.text, lists.labels));
    let best: LabelCandidate | undefined;
    const spots = index.byKey.get(place.key) ?? [];
    const from = root instanceof TreeElement ? firstAfter(spots, root.index) : 0;
    for (let at = from; at < Math.min(spots.length, from + MOST_TRIED); at++) {
      const spot = spots[at]!;
      if (root instanceof TreeElement && spot.element.index >= root.end) break;
      const value = valueAt(spot, index, document);
      if (value === undefined) continue;
      if (best === undefined || value.sureness < best.sureness) best = value;
      if (best.sureness === SURE.structure) break;
    }
    return best === undefined ? NO_HITS : hitsOf(best, scope, taking);
  };
}

/** Spots are in document order; pages with many records have one in each. */
function firstAfter(spots: readonly LabelSpot[], index: number): number {
  let low = 0;
  let high = spots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spots[middle]!.element.index <= index) low = middle + 1;
    else high = middle;
  }
  return low;
}

function hitsOf(value: LabelCandidate, scope: Scope, taking: Taking): readonly Hit[] {
  const { document } = scope.view;
  const [first] = value.elements;
  if (first === undefined) return [{ text: "", at: undefined }];
  if (value.text !== undefined) return [{ text: value.text, at: document.offsetOf(first), isProse: true }];
  let elements: readonly TreeElement[] = taking.isMany ? value.elements : [first];
  if (taking.isMany && elements.length === 1) {
    const items = document.all(listItems, first).filter((item) => item instanceof TreeElement);
    if (items.length > 0) elements = items;
  }
  return elements.map((element) => {
    const text = controlText(element);
    return text === undefined
      ? elementHit(document, element, taking)
      : { text, at: document.offsetOf(element), isProse: true };
  });
}

const TYPED = /^(?:text|number|tel|email|url|date|search|month|week|time|datetime-local|)$/;

/** The value of a form control, or of the only control inside an element without text. Undefined: there is none. */
function controlText(element: TreeElement): string | undefined {
  const control = isControl(element) ? element : onlyControl(element);
  if (control === undefined) return undefined;
  if (control.tag === "input") return foldSpace(control.attribute("value") ?? "");
  if (control.tag === "textarea") return foldedText(control);
  const options = elementsBelow(control).filter(({ tag }) => tag === "option");
  const chosen = options.find((option) => option.attribute("selected") !== undefined) ?? options[0];
  return chosen === undefined ? "" : foldedText(chosen);
}

function isControl(element: TreeElement): boolean {
  if (element.tag === "input") return TYPED.test((element.attribute("type") ?? "").toLowerCase());
  return element.tag === "textarea" || element.tag === "select";
}

function onlyControl(element: TreeElement): TreeElement | undefined {
  const controls = elementsBelow(element).filter(isControl);
  const [only] = controls;
  if (controls.length !== 1 || only === undefined) return undefined;
  const around = foldedText(element);
  return around === "" || around === foldedText(only) ? only : undefined;
}

function elementsBelow(element: TreeElement): readonly TreeElement[] {
  const found: TreeElement[] = [];
  const rest: TreeElement[] = [element];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (one !== element) found.push(one);
    for (let at = one.children.length - 1; at >= 0; at--) {
      const child = one.children[at];
      if (typeof child === "object") rest.push(child);
    }
  }
  return found;
}

const LINK_TAGS = new Set(["a", "area"]);
const links = compileSelector("a[href], area[href]");

/**
 * What a field takes from a cell found by its label or header: a link may be anywhere inside it. An image is not a link: many
 * blank cells have one as a spacer.
 */
export function elementHit(document: HtmlDocument, element: HtmlElement, { takes, pick }: Taking): Hit {
  const at = document.offsetOf(element);
  const texts = takes.map((take) => {
    const own =
      take === "link" && !LINK_TAGS.has(element.tag) ? undefined : takeFrom(document, element, take);
    if (own !== undefined || take === "text" || take === "raw" || take === "html") return own;
    const below = document.first(take === "link" ? links : compileSelector(`[${take.attribute}]`), element);
    return below && takeFrom(document, below, take);
  });
  const text = pick === undefined ? texts[0] : pick(texts);
  // A cell without a link is read as text: it may spell out the address.
  return text === undefined && takes[0] === "link"
    ? { text: document.textOf(element), at, isProse: true }
    : { text, at };
}
