import { isTraversal, parse, SelectorType } from "css-what";
import type { Selector } from "css-what";
import type { TreeElement } from "./html-tree.ts";

const LOCAL_NAME = "local-name";

/**
 * Prefixes as XML writes them: `dc|creator` is the element `dc:creator`, `*|Body` is `Body` with any prefix or none. css-select knows
 * neither. What namespace a prefix stands for in a document is not looked at.
 */
export const withPrefixes = (css: string): string | Selector[][] =>
  /\|(?!=)/.test(css) ? parse(css).map((tokens) => tokens.flatMap(prefixed)) : css;

function prefixed(token: Selector): Selector[] {
  if (isTraversal(token)) return [token];
  if (token.type === SelectorType.Tag && token.namespace !== null) {
    const { name, namespace } = token;
    if (namespace === "*") return [{ type: SelectorType.Pseudo, name: LOCAL_NAME, data: name }];
    return [{ ...token, name: namespace === "" ? name : `${namespace}:${name}`, namespace: null }];
  }
  if (token.type === SelectorType.Universal && token.namespace === "*")
    return [{ ...token, namespace: null }];
  if (token.type === SelectorType.Attribute && token.namespace !== null && token.namespace !== "*")
    return [{ ...token, name: `${token.namespace}:${token.name}`, namespace: null }];
  if (token.type === SelectorType.Pseudo && Array.isArray(token.data))
    return [{ ...token, data: token.data.map((tokens) => tokens.flatMap(prefixed)) }];
  return [token];
}

/** For css-select: what `*|name` becomes. */
export const localName = (
  isXml: boolean,
): Record<string, (element: TreeElement, value?: string | null) => boolean> => ({
  [LOCAL_NAME]: ({ tag }, name) => tag.slice(tag.indexOf(":") + 1) === (isXml ? name : name?.toLowerCase()),
});
