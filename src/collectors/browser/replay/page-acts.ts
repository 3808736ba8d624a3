import type { SetStep, WaitForElementStep } from "../../../recordings/recording.ts";
import { accessibility } from "./accessibility.ts";
import { findElements, type Found, type Query } from "./find-elements.ts";
import type { PageElement, PageNode, PageRoot, PageWindow } from "./page-dom.ts";

/**
 * What replay does inside pages: each act finds its element and acts on it in one call, so that nothing can change in between. The functions are
 * sent as their source text and refer to nothing outside. An act returns a note instead of a result when the element is not ready for it.
 */
type Act<Values, Result> = (
  window: PageWindow,
  element: PageElement,
  values: Values,
  isVisible: (element: PageElement) => boolean,
) => Result | string | Promise<Result | string>;

export type Acted<Result> =
  | { readonly state: "done"; readonly result: Result }
  /** One note for each alternative: why it cannot be used. */
  | { readonly state: "waiting"; readonly notes: readonly string[] };

/** Where the pointer goes, in CSS pixels of the frame's viewport. */
export interface Point {
  readonly x: number;
  readonly y: number;
  /** Another element covers the point. */
  readonly isCovered: boolean;
}

/** What remains to be done with the keyboard. */
export interface Typing {
  readonly text: string;
  /** The selected text is deleted first: there is nothing to type over it. */
  readonly clears: boolean;
}

/** Offsets count from the border box; a missing one, or one outside of the box, means the centre, rounded. */
const point: Act<
  { readonly offsetX?: number; readonly offsetY?: number; readonly enabled: boolean },
  Point
> = async (window, element, { offsetX, offsetY, enabled }, isVisible) => {
  if (!isVisible(element)) return "not visible";
  if (enabled && element.matches(":disabled")) return "disabled";
  const boxOf = () => {
    const box = element.getBoundingClientRect();
    const rects = element.getClientRects();
    // A link over several lines: the centre of its box may be outside it.
    return offsetX === undefined && rects.length > 1 ? rects[0]! : box;
  };
  const frame = () =>
    new Promise<void>((resolve) => {
      window.requestAnimationFrame(resolve);
      // Pages in the background may not draw. On a busy machine, a frame may take longer than usual.
      window.setTimeout(resolve, 500);
    });
  const first = boxOf();
  const isInView =
    first.top >= 0 &&
    first.left >= 0 &&
    first.bottom <= window.innerHeight &&
    first.right <= window.innerWidth;
  if (!isInView) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  // Its frame may be outside the visible part of the page.
  else if (window.parent !== window)
    element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const before = boxOf();
  await frame();
  await frame();
  const box = boxOf();
  if (box.left !== before.left || box.top !== before.top || box.width !== before.width) return "moving";
  const placed = (offset: number | undefined, size: number): number =>
    offset !== undefined && offset >= 0 && offset <= size ? offset : Math.round(size / 2);
  const x = box.left + placed(offsetX, box.width);
  const y = box.top + placed(offsetY, box.height);
  let hit: PageElement | null = null;
  for (let root: PageRoot | null = window.document; root; root = hit?.shadowRoot ?? null) {
    const inside: PageElement | null = root.elementFromPoint(x, y);
    if (!inside || inside === hit) break;
    hit = inside;
  }
  const contains = (outer: PageElement, inner: PageElement | null): boolean => {
    for (let node: PageNode | null | undefined = inner; node; node = node.getRootNode().host)
      if (outer.contains(node)) return true;
    return false;
  };
  const isHit = contains(element, hit) || (hit !== null && contains(hit, element));
  return { x, y, isCovered: !isHit };
};

const change: Act<{ readonly value: string }, Typing> = (window, element, { value }, isVisible) => {
  if (element.matches(":disabled")) return "disabled";
  const fire = (): void => {
    for (const name of ["input", "change"])
      element.dispatchEvent(new window.Event(name, { bubbles: true, composed: true }));
  };
  const done = { text: "", clears: false };
  if (element.options) {
    const options = Array.prototype.slice.call(element.options) as NonNullable<
      typeof element.options
    >[number][];
    const chosen =
      options.find((option) => option.value === value) ??
      options.find(({ label, text }) => label.trim() === value.trim() || text.trim() === value.trim());
    if (!chosen) return `has no option ${JSON.stringify(value)}`;
    if (element.multiple) for (const option of options) option.selected = option === chosen;
    else chosen.selected = true;
    fire();
    return done;
  }
  const type =
    element.localName === "textarea" ? "text" : element.localName === "input" ? (element.type ?? "text") : "";
  if (type === "file") return "takes a file, which a recording does not contain";
  if (type === "checkbox" || type === "radio") {
    // A recorded "on" follows the click that has changed the box already.
    if ((value === "true" || value === "false") && element.checked !== (value === "true")) element.click?.();
    else fire();
    return done;
  }
  const isTyped = /^(?:text|url|tel|search|password|number|email)$/.test(type) && !element.readOnly;
  if (type === "" && !element.isContentEditable) return "cannot be filled in";
  if (!isTyped && type !== "") {
    // Colours, dates, ranges, and fields that only a script may fill in: frameworks notice the prototype's own setter.
    let owner = Object.getPrototypeOf(element) as object | null;
    while (owner && !Object.getOwnPropertyDescriptor(owner, "value"))
      owner = Object.getPrototypeOf(owner) as object | null;
    Reflect.set(owner ?? element, "value", value, element);
    fire();
    return done;
  }
  if (!isVisible(element)) return "not visible";
  element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  element.focus({ preventScroll: true });
  const text = element.localName === "input" ? value.replace(/[\r\n]+/g, "") : value;
  const current = (element.isContentEditable ? element.innerText : element.value) ?? "";
  if (element.isContentEditable) {
    const selection = window.getSelection();
    selection?.selectAllChildren(element);
  } else element.select?.();
  return { text, clears: text === "" && current !== "" };
};

const set: Act<{ readonly to: SetStep["to"] }, true> = (window, element, { to }) => {
  if ("focused" in to) {
    element.focus();
    return true;
  }
  if (element.matches(":disabled")) return "disabled";
  if ("checked" in to) {
    const isChecked = element.checked ?? element.getAttribute("aria-checked") === "true";
    if (isChecked !== to.checked) element.click?.();
    return true;
  }
  if (!element.options) return "has no options";
  const options = Array.prototype.slice.call(element.options) as NonNullable<
    typeof element.options
  >[number][];
  const chosen =
    "index" in to
      ? options[to.index]
      : options.find(
          ({ label, text }) => label.trim() === to.label.trim() || text.trim() === to.label.trim(),
        );
  if (!chosen) return `has no option ${JSON.stringify("index" in to ? to.index : to.label)}`;
  chosen.selected = true;
  for (const name of ["input", "change"])
    element.dispatchEvent(new window.Event(name, { bubbles: true, composed: true }));
  return true;
};

const scroll: Act<{ readonly x: number; readonly y: number }, true> = (_window, element, { x, y }) => {
  element.scrollLeft = x;
  element.scrollTop = y;
  return true;
};

/** Whether the element is shown; with `text`, holds it; with `enabled`, can be used. */
const presence: Act<{ readonly text?: string; readonly enabled: boolean }, true> = (
  window,
  element,
  { text, enabled },
  isVisible,
) => {
  const fold = (words: string): string => words.replace(/\s+/g, " ").trim().toLowerCase();
  if (!isVisible(element)) return "not visible";
  if (text !== undefined && !fold(element.innerText ?? element.textContent ?? "").includes(fold(text)))
    return "has another text";
  if (!enabled) return true;
  const OFF = ':disabled, [disabled], [aria-disabled="true"], .disabled';
  const isOff = element.matches(OFF) || element.parentElement?.matches(OFF) === true;
  return isOff || window.getComputedStyle(element).pointerEvents === "none" ? "disabled" : true;
};

const ACTS = { point, change, set, scroll, presence };

type Acts = typeof ACTS;
export type ActName = keyof Acts;
export type ActValues<Name extends ActName> = Parameters<Acts[Name]>[2];
export type ActResult<Name extends ActName> = Exclude<Awaited<ReturnType<Acts[Name]>>, string>;

/** Tries the alternatives in order; within one, an element that is shown goes before one that is not. */
async function performAct(
  window: PageWindow,
  find: (window: PageWindow) => Found,
  act: Act<unknown, unknown>,
  values: unknown,
): Promise<Acted<unknown>> {
  const isVisible = (element: PageElement): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  };
  const { lists, notes } = find(window);
  for (const [at, list] of lists.entries()) {
    const element = list.find(isVisible) ?? list[0];
    if (!element) continue;
    const result = await act(window, element, values, isVisible);
    if (typeof result !== "string") return { state: "done", result };
    notes[at] = list.length > 1 ? `${list.length} matches, ${result}` : result;
  }
  return { state: "waiting", notes };
}

export interface Counted {
  readonly count: number;
  /** Every match has the attributes and the properties. */
  readonly isAlike: boolean;
  readonly document: number;
}

/** Matches of the first alternative that has any. */
function countMatches(
  window: PageWindow,
  find: (window: PageWindow) => Found,
  { attributes, properties }: Pick<WaitForElementStep, "attributes" | "properties">,
): Counted {
  const isLike = (wanted: unknown, value: unknown): boolean => {
    if (wanted === value) return true;
    if (typeof wanted !== "object" || typeof value !== "object" || !wanted || !value) return false;
    return Object.entries(wanted).every(([key, inner]) =>
      isLike(inner, (value as Record<string, unknown>)[key]),
    );
  };
  const list = find(window).lists.find(({ length }) => length > 0) ?? [];
  const isAlike = list.every(
    (element) =>
      Object.entries(attributes ?? {}).every(([name, value]) => element.getAttribute(name) === value) &&
      isLike(properties ?? {}, element),
  );
  return { count: list.length, isAlike, document: window.performance.timeOrigin };
}

/** Combines the sources of the functions: each gets what it needs as an argument. */
const findSource = (query: Query): string =>
  `(window) => (${findElements.toString()})(window, ${JSON.stringify(query)}, (${accessibility.toString()})(window))`;

export const actSource = <Name extends ActName>(act: Name, query: Query, values: ActValues<Name>): string =>
  `(${performAct.toString()})(window, ${findSource(query)}, ${ACTS[act].toString()}, ${JSON.stringify(values)})`;

export const countSource = (
  query: Query,
  wanted: Pick<WaitForElementStep, "attributes" | "properties"> = {},
): string =>
  `(${countMatches.toString()})(window, ${findSource(query)}, ${JSON.stringify({
    attributes: wanted.attributes,
    properties: wanted.properties,
  })})`;
