import type { TreeElement } from "./html-tree.ts";

/** Elements whose text is not shown on the page. */
export const HIDDEN: ReadonlySet<string> = new Set(["script", "style", "template"]);
/** Elements that a browser separates from the text before and after them. */
export const APART: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote br button caption center dd details dir div dl dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre section select summary " +
    "table tbody td textarea tfoot th thead tr ul"
  ).split(" "),
);

/** The text of an element as a person reads it. A script asked for directly gives its text; inside others it is hidden. */
export function foldedText(element: TreeElement): string {
  const [only] = element.children;
  const text = element.children.length === 1 && typeof only === "string" ? only : visibleText(element);
  return foldSpace(text);
}

/** Turns each run of white space (`&nbsp;` too) into one blank, and trims. */
export const foldSpace = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The visible text of an element, white space unchanged. */
export function visibleText(element: TreeElement): string {
  let text = "";
  const rest: (TreeElement | string)[] = [];
  const pushChildren = ({ children }: TreeElement): void => {
    for (let at = children.length - 1; at >= 0; at--) rest.push(children[at] ?? "");
  };
  pushChildren(element);
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (typeof node === "string") text += node;
    else if (APART.has(node.tag)) {
      text += " ";
      rest.push(" ");
      pushChildren(node);
    } else if (!HIDDEN.has(node.tag)) pushChildren(node);
  }
  return text;
}
