import type { PageElement, PageNode, PageWindow } from "./page-dom.ts";

/**
 * Runs inside a page, and so refers to nothing outside. Roles and accessible names as Chrome computes them, for `aria/` selectors: the names that
 * its Recorder writes down. A part of the W3C's "Accessible Name and Description Computation"; `accessibility.test.ts` compares it with Chrome's own.
 */
export function accessibility(window: PageWindow): {
  readonly nameOf: (element: PageElement) => string;
  readonly roleOf: (element: PageElement) => string;
} {
  const ROLES: Record<string, string> = {
    article: "article",
    aside: "complementary",
    button: "button",
    dialog: "dialog",
    fieldset: "group",
    figure: "figure",
    footer: "contentinfo",
    form: "form",
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    header: "banner",
    hr: "separator",
    iframe: "Iframe",
    img: "image",
    label: "LabelText",
    legend: "Legend",
    li: "listitem",
    main: "main",
    meter: "meter",
    nav: "navigation",
    ol: "list",
    option: "option",
    output: "status",
    p: "paragraph",
    progress: "progressbar",
    section: "region",
    summary: "DisclosureTriangle",
    svg: "image",
    table: "table",
    td: "cell",
    textarea: "textbox",
    tr: "row",
    ul: "list",
  };
  const INPUT_ROLES: Record<string, string> = {
    button: "button",
    checkbox: "checkbox",
    color: "ColorWell",
    date: "Date",
    "datetime-local": "DateTime",
    file: "button",
    image: "button",
    month: "Date",
    number: "spinbutton",
    radio: "radio",
    range: "slider",
    reset: "button",
    search: "searchbox",
    submit: "button",
    time: "InputTime",
    week: "Date",
  };
  /** These get their name from their content. */
  const NAMED_BY_CONTENT =
    /^(?:button|cell|checkbox|columnheader|gridcell|heading|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|rowheader|switch|tab|tooltip|treeitem|DisclosureTriangle|LabelText|Legend)$/;
  const SKIPPED = /^(?:script|style|noscript|template|head)$/;
  const MOST_DEPTH = 60;

  const fold = (text: string): string => text.replace(/\s+/g, " ").trim();
  const isElement = (node: PageNode): node is PageElement => node.nodeType === 1;

  const roleOf = (element: PageElement): string => {
    const own = fold(element.getAttribute("role") ?? "").split(" ")[0]!;
    if (own !== "" && own !== "presentation" && own !== "none") return own === "img" ? "image" : own;
    const tag = element.localName;
    if (tag === "a" || tag === "area") return element.hasAttribute("href") ? "link" : "generic";
    if (tag === "input") return INPUT_ROLES[element.type ?? ""] ?? "textbox";
    if (tag === "select")
      return element.multiple || Number(element.getAttribute("size")) > 1 ? "listbox" : "combobox";
    if (tag === "th") {
      const scope = element.getAttribute("scope") ?? "";
      const isOfRow =
        scope.startsWith("row") ||
        (!scope.startsWith("col") && element.closest("tr")?.querySelectorAll("td").length);
      return isOfRow ? "rowheader" : "columnheader";
    }
    return ROLES[tag] ?? "generic";
  };

  const isHidden = (element: PageElement): boolean => {
    // The options of a closed list are not drawn, but are still exposed.
    const drawn = element.localName === "option" ? (element.closest("select") ?? element) : element;
    return (
      !drawn.checkVisibility({ visibilityProperty: true }) || element.closest('[aria-hidden="true"]') !== null
    );
  };

  /** Children as they are shown: those of an open shadow root, and slotted elements. */
  const childrenOf = (element: PageElement): PageNode[] => {
    const assigned = element.localName === "slot" ? (element.assignedNodes?.() ?? []) : [];
    if (assigned.length > 0) return Array.prototype.slice.call(assigned) as PageNode[];
    return Array.prototype.slice.call((element.shadowRoot ?? element).childNodes) as PageNode[];
  };

  const byIds = (element: PageElement, ids: string, seen: readonly PageNode[]): string => {
    const root = element.getRootNode();
    const texts: string[] = [];
    for (const id of fold(ids).split(" ")) {
      if (id === "") continue;
      const [found] = Array.prototype.slice.call(
        root.querySelectorAll(`[id="${id.replace(/["\\]/g, "\\$&")}"]`),
      ) as PageElement[];
      if (found && !seen.includes(found)) texts.push(textOf(found, [...seen, element], "labelledby"));
    }
    return fold(texts.join(" "));
  };

  const pseudo = (element: PageElement, which: string): string => {
    const { content } = window.getComputedStyle(element, which);
    const text = /^"((?:[^"\\]|\\.)*)"/.exec(content)?.[1];
    return text === undefined ? "" : text.replace(/\\(.)/g, "$1");
  };

  /** The text of an element as a part of a name, spaces not yet folded. */
  const textOf = (element: PageElement, seen: readonly PageNode[], why: "content" | "labelledby"): string => {
    if (seen.length > MOST_DEPTH || seen.includes(element) || SKIPPED.test(element.localName)) return "";
    const inside = [...seen, element];
    if (why === "content" && isHidden(element)) return "";
    const role = roleOf(element);
    // A control inside a label or a link counts with its value.
    if (why === "content" && /^(?:textbox|searchbox|spinbutton|slider)$/.test(role) && element.value)
      return element.value;
    if (why === "content" && /^(?:combobox|listbox)$/.test(role)) return chosenOf(element);
    const label = fold(element.getAttribute("aria-label") ?? "");
    if (label !== "") return label;
    const native = nativeName(element, inside);
    if (native !== "") return native;
    return contentOf(element, inside) || (element.getAttribute("title") ?? "");
  };

  const chosenOf = (element: PageElement): string => {
    const chosen: string[] = [];
    const options = element.options ?? [];
    for (let at = 0; at < options.length; at++) if (options[at]!.selected) chosen.push(options[at]!.text);
    return chosen.join(" ");
  };

  const contentOf = (element: PageElement, seen: readonly PageNode[]): string => {
    let text = pseudo(element, "::before");
    for (const child of childrenOf(element)) {
      if (child.nodeType === 3) text += child.textContent ?? "";
      if (!isElement(child)) continue;
      if (child.localName === "br") text += " ";
      const part = textOf(child, seen, "content");
      // Blocks are words of their own, parts of a line are not.
      const isInline = /^(?:inline|contents)$/.test(window.getComputedStyle(child).display);
      text += isInline ? part : ` ${part} `;
    }
    return text + pseudo(element, "::after");
  };

  /** From the attributes and elements that HTML has for this. */
  const nativeName = (element: PageElement, seen: readonly PageNode[]): string => {
    const tag = element.localName;
    const attribute = (name: string): string => fold(element.getAttribute(name) ?? "");
    if (tag === "input" && /^(?:button|submit|reset)$/.test(element.type ?? "")) {
      const value = fold(element.value ?? "");
      if (value !== "" || element.type === "button") return value;
      return element.type === "submit" ? "Submit" : "Reset";
    }
    if (tag === "input" && element.type === "image")
      return attribute("alt") || attribute("value") || attribute("title") || "Submit";
    if (tag === "img" || tag === "area") return attribute("alt");
    const naming = { fieldset: "legend", table: "caption", svg: "title" }[tag];
    for (const child of naming === undefined ? [] : childrenOf(element))
      if (isElement(child) && child.localName === naming) return fold(contentOf(child, seen));
    const labels = element.labels ?? [];
    const texts: string[] = [];
    for (let at = 0; at < labels.length; at++)
      if (!seen.includes(labels[at]!)) texts.push(fold(textOf(labels[at]!, seen, "labelledby")));
    return fold(texts.join(" "));
  };

  const nameOf = (element: PageElement): string => {
    if (isHidden(element)) return "";
    const ids = element.getAttribute("aria-labelledby");
    const named = ids === null ? "" : byIds(element, ids, []);
    if (named !== "") return named;
    const label = fold(element.getAttribute("aria-label") ?? "");
    if (label !== "") return label;
    const native = nativeName(element, [element]);
    if (native !== "") return native;
    const role = roleOf(element);
    if (NAMED_BY_CONTENT.test(role)) {
      const content = fold(contentOf(element, [element]));
      if (content !== "") return content;
    }
    return fold(element.getAttribute("title") ?? "") || fold(element.getAttribute("placeholder") ?? "");
  };

  return { nameOf, roleOf };
}
