import type { Hit } from "./hit.ts";
import type { QueryLists } from "./query-book.ts";
import type { Scope } from "./scope.ts";
import { compileSelector } from "./selector.ts";

const body = compileSelector("body");
const topElements = compileSelector(":root");

/** Gives the text of a scope, or of the first match of `within` in it, as a person reads it. */
export function visibleText(within: string | undefined, book: QueryLists): (scope: Scope) => Hit | undefined {
  if (within !== undefined) {
    const slot = book.own.add({ css: within, take: "text", isMany: false });
    return (scope) => scope.matches(slot)[0];
  }
  if (book.scope !== "page") return allText;
  const slot = book.own.add({ css: "body", take: "text", isMany: false });
  return (scope) => scope.matches(slot)[0] ?? allText(scope);
}

/** The text of a scope, asked of its document. A fragment of a page has no body: then it is all that stands at the top. */
export function allText({ view: { document }, element }: Scope): Hit | undefined {
  const whole = element ?? document.first(body);
  const elements = whole === undefined ? document.all(topElements) : [whole];
  const [first] = elements;
  if (first === undefined) return undefined;
  const text = elements.map((one) => document.textOf(one)).join(" ");
  return { text, at: document.offsetOf(first) };
}
