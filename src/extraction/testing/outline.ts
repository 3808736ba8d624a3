import type { HtmlTree, TreeElement } from "../html-tree.ts";

/** Tags, attributes by name, nesting and texts of a page: what two ways of reading it must have in common. */
export type Outline = string | [tag: string, attributes: [string, string][], children: Outline[]];

/** Comments may split a text; the pieces count as one. */
export function addOutline(children: Outline[], child: Outline): Outline[] {
  const last = children.at(-1);
  if (child === "") return children;
  if (typeof last === "string" && typeof child === "string") children[children.length - 1] = last + child;
  else children.push(child);
  return children;
}

/** The page as the document has it. */
export const treeOutline = ({ root }: HtmlTree): Outline[] =>
  root.children.map(outlined).reduce(addOutline, []);

const outlined = (node: TreeElement | string): Outline =>
  typeof node === "string"
    ? node
    : [node.tag, node.attributes.sort(byName), node.children.map(outlined).reduce(addOutline, [])];

export const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : 1;
