import type { Options } from "css-select";
import type { TreeElement } from "./html-tree.ts";

export type TreeNode = TreeElement | string;

/** How css-select sees the tree; answers as its own adapter does on a full DOM. */
export const cssAdapter: NonNullable<Options<TreeNode, TreeElement>["adapter"]> = {
  isTag: (node): node is TreeElement => typeof node !== "string",
  getName: (element) => element.name,
  getAttributeValue: (element, name) => element.attribute(name),
  hasAttrib: (element, name) => element.attribute(name) !== undefined,
  // What is in a template is no part of the page.
  getChildren: (node) => (typeof node === "string" || node.isTemplate ? [] : node.children),
  getParent: (element) => (element.parent?.parent == null ? null : element.parent),
  getSiblings: (node) => (typeof node === "string" ? [node] : (node.parent?.children ?? [node])),
  getText: (node) => (typeof node === "string" ? node : plainText(node, false)),
  removeSubsets: (nodes) => nodes,
};

/** All text below an element, a `<br>` as a line break; `:contains` sees none in templates. Loops, since pages nest without limit. */
export function plainText(element: TreeElement, withTemplates = true): string {
  if (element.tag === "br") return "\n";
  let text = "";
  const rest: TreeNode[] = [];
  for (let node: TreeNode | undefined = element; node !== undefined; node = rest.pop()) {
    if (typeof node === "string") text += node;
    else if (node.tag === "br") text += "\n";
    else if (withTemplates || !node.isTemplate)
      for (let at = node.children.length - 1; at >= 0; at--) rest.push(node.children[at] ?? "");
  }
  return text;
}
