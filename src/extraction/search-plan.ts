/** Where a selector's matches can be at all, so that a search need not visit the whole page. */
export type SearchPlan =
  /** Only the elements with this id themselves. */
  | { readonly among: "id"; readonly id: string }
  /** Only inside the elements with this id. */
  | { readonly among: "below-id"; readonly id: string }
  | { readonly among: "all" };

const everywhere: SearchPlan = { among: "all" };
const TAG = /[a-z][\w-]*|\*/iy;
// Plain names only, no escapes; what stands in brackets and parentheses is passed over, never looked into.
const SIMPLE =
  /#(?<id>[a-z_][\w-]*)|\.[a-z_][\w-]*|\[[\w-]+(?:[~|^$*!]?=(?:"[^"\\]*"|'[^'\\]*'|[\w-]+))?\]|:[a-z-]+(?:\((?:"[^"\\]*"|'[^'\\]*'|[^()[\]"'\\]*)\))?/iy;
// CSS white space only: to CSS, a no-break space is a letter like any other.
const COMBINATOR = /[ \t\r\n\f]*(?<mark>[>+~])[ \t\r\n\f]*|[ \t\r\n\f]+/y;

/**
 * Reads the common shapes of selectors and plans by their last `#id` that everything after it lies inside of. The matches
 * still go through the whole selector, so a plan can only leave out, and anything it does not understand means "all".
 */
export function planSearch(selector: string): SearchPlan {
  const css = selector.replace(/^[ \t\r\n\f]+|[ \t\r\n\f]+$/g, "");
  if (/:scope/i.test(css)) return everywhere;
  let plan: SearchPlan = everywhere;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(css);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };

  for (;;) {
    const start = at;
    take(TAG);
    for (let simple = take(SIMPLE); simple !== null; simple = take(SIMPLE)) {
      const id = simple.groups?.["id"];
      if (id !== undefined) plan = { among: "id", id };
    }
    if (at === start) return everywhere;
    if (at === css.length) return plan;
    const combinator = take(COMBINATOR);
    if (combinator === null) return everywhere;
    const goesSideways = combinator.groups?.["mark"] === "+" || combinator.groups?.["mark"] === "~";
    if (goesSideways) plan = everywhere;
    else if (plan.among === "id") plan = { among: "below-id", id: plan.id };
  }
}
