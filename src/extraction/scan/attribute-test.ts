import { AttributeAction } from "css-what";
import type { AttributeSelector } from "css-what";

/** Whether an attribute's value fits; undefined stands for no such attribute. */
type AttributeTest = (value: string | undefined) => boolean;

// https://html.spec.whatwg.org/multipage/semantics-other.html#case-sensitivity-of-selectors
const CASELESS: ReadonlySet<string> = new Set(
  (
    "accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir direction " +
    "disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref noresize noshade nowrap " +
    "readonly rel rev rules scope scrolling selected shape target text type valign valuetype vlink"
  ).split(" "),
);

/** As css-select does it on HTML. */
export function attributeTest(selector: AttributeSelector): AttributeTest {
  const { ignoreCase } = selector;
  const isCaseless =
    typeof ignoreCase === "boolean"
      ? ignoreCase
      : ignoreCase === null && CASELESS.has(selector.name.toLowerCase());
  const fold = (text: string): string => (isCaseless ? text.toLowerCase() : text);
  const wanted = fold(selector.value);
  // Of the value as written: İ is longer in lower case.
  const { length } = selector.value;
  const never: AttributeTest = () => false;

  switch (selector.action) {
    case AttributeAction.Exists:
      return (value) => value !== undefined;
    case AttributeAction.Equals:
      return (value) => value !== undefined && isSame(value);
    case AttributeAction.Not:
      if (wanted === "") return (value) => value !== undefined && value !== "";
      return (value) => value === undefined || !isSame(value);
    case AttributeAction.Hyphen:
      return (value) =>
        value !== undefined &&
        (value.length === length || value.charAt(length) === "-") &&
        fold(value.slice(0, length)) === wanted;
    case AttributeAction.Start:
      if (length === 0) return never;
      return (value) =>
        value !== undefined && value.length >= length && fold(value.slice(0, length)) === wanted;
    case AttributeAction.End:
      if (length === 0) return never;
      return (value) => value !== undefined && fold(value.slice(-length)) === wanted;
    case AttributeAction.Any:
      return length === 0 ? never : matching(escaped(selector.value), isCaseless, length);
    case AttributeAction.Element:
      if (/\s/.test(selector.value)) return never;
      return matching(`(?:^|\\s)${escaped(selector.value)}(?:$|\\s)`, isCaseless, length);
  }

  function isSame(value: string): boolean {
    return isCaseless ? value.length === wanted.length && value.toLowerCase() === wanted : value === wanted;
  }
}

// A regular expression folds case by other rules than `toLowerCase`; css-select uses it for these two.
function matching(pattern: string, isCaseless: boolean, length: number): AttributeTest {
  const expression = new RegExp(pattern, isCaseless ? "i" : "");
  return (value) => value !== undefined && value.length >= length && expression.test(value);
}

const escaped = (text: string): string => text.replace(/[-[\]{}()*+?.,\\^$|#\s]/g, "\\$&");
