/**
 * Scripts that run inside pages, isolated from the scripts of the page: it sees their effects on the document, but cannot change what they call. Each is
 * one function without references to anything outside, and is sent as its source text.
 */

/** Declared here for type checking only: these exist inside the page. */
interface PageElement {
  readonly shadowRoot: PageRoot | null;
  readonly tagName: string;
  readonly isConnected: boolean;
  textContent: string | null;
  readonly innerText?: string;
  getAttribute(name: string): string | null;
  getBoundingClientRect(): { x: number; y: number; width: number; height: number };
  scrollIntoView(options: object): void;
  /** Of fields and editable elements. */
  value?: string;
  isContentEditable?: boolean;
  multiple?: boolean;
  options?: Iterable<{ value: string; label: string; text: string; selected: boolean }>;
  focus(): void;
  click?(): void;
  dispatchEvent(event: object): void;
}
interface PageRoot {
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** The source of a library of helpers, followed by the call of one of them. */
export const scriptCall = (name: keyof typeof scripts, ...values: readonly unknown[]): string =>
  `(() => { ${LIBRARY} return (${scripts[name].toString()})(...${JSON.stringify(values)}); })()`;

/** Finds the first match, in open shadow roots too, in document order of the roots. */
const LIBRARY = `
const rootsOf = (root, list = [root]) => {
  for (const each of root.querySelectorAll("*")) if (each.shadowRoot) { list.push(each.shadowRoot); rootsOf(each.shadowRoot, list); }
  return list;
};
const first = (selector) => {
  const found = document.querySelector(selector);
  if (found) return found;
  for (const root of rootsOf(document)) { const inside = root.querySelector(selector); if (inside) return inside; }
  return null;
};
const settle = () => new Promise((resolve) => document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", resolve, { once: true }) : resolve());
`;

declare const document: PageRoot & {
  readonly readyState: string;
  readonly documentElement: PageElement & {
    getHTML(options: { shadowRoots: readonly PageRoot[] }): string;
    readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  };
  readonly doctype: { readonly name: string } | null;
  readonly contentType: string;
  open(): void;
  close(): void;
};
declare const window: { name: string };
declare const location: { readonly origin: string };
declare const sessionStorage: { clear(): void };
declare const stop: () => void;
declare const requestAnimationFrame: (then: () => void) => number;
declare const cancelAnimationFrame: (id: number) => void;
declare const requestIdleCallback: (then: () => void) => number;
declare const cancelIdleCallback: (id: number) => void;
declare const first: (selector: string) => PageElement | null;
declare const rootsOf: (root: PageRoot) => PageRoot[];
declare const settle: () => Promise<void>;
declare const MutationObserver: new (changed: () => void) => {
  observe(root: PageRoot, options: object): void;
  disconnect(): void;
};
declare const Event: new (name: string, options: object) => object;

const scripts = {
  parsed: () => settle(),

  /** Resolves with the index of the first selector that matches. */
  ready: (selectors: readonly string[]) =>
    new Promise<number>((resolve) => {
      const seen = new Set<PageRoot>();
      const look = (): void => {
        const at = selectors.findIndex((selector) => first(selector) !== null);
        if (at >= 0) {
          observer.disconnect();
          clearInterval(timer);
          resolve(at);
          return;
        }
        for (const root of rootsOf(document))
          if (!seen.has(root)) {
            seen.add(root);
            observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
          }
      };
      const observer = new MutationObserver(look);
      // A shadow root that is attached later changes nothing that an observer sees.
      const timer = setInterval(look, 250);
      look();
    }),

  has: (selector: string) => first(selector) !== null,

  text: (selector: string) => {
    const found = first(selector);
    return found ? (found.innerText ?? found.textContent ?? "").replaceAll(/\s+/g, " ").trim() : null;
  },

  attr: (selector: string, name: string) => first(selector)?.getAttribute(name) ?? null,

  /** Sets a value the way frameworks notice: through the prototype's own setter, then with events. */
  fill: (selector: string, value: string) => {
    const found = first(selector);
    if (!found) return "missing";
    found.focus();
    if (found.isContentEditable) found.textContent = value;
    else if (found.value === undefined) return "not-a-field";
    else {
      let owner: object | null = Object.getPrototypeOf(found) as object | null;
      while (owner && !Object.getOwnPropertyDescriptor(owner, "value"))
        owner = Object.getPrototypeOf(owner) as object | null;
      if (owner) Object.getOwnPropertyDescriptor(owner, "value")?.set?.call(found, value);
    }
    for (const name of ["input", "change"])
      found.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
    return "ok";
  },

  select: (selector: string, wanted: readonly string[]) => {
    const found = first(selector);
    if (!found) return "missing";
    if (!found.options) return "not-a-field";
    const options = [...found.options];
    const chosen = wanted.map((one) =>
      options.find(({ value, label, text }) => value === one || label.trim() === one || text.trim() === one),
    );
    const absent = wanted.find((_, at) => !chosen[at]);
    if (absent !== undefined) return `no-option:${absent}`;
    for (const option of options)
      if (found.multiple || chosen.includes(option)) option.selected = chosen.includes(option);
    for (const name of ["input", "change"])
      found.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
    return "ok";
  },

  /** Clicks as a script would. A real pointer costs more calls and fails on covered elements; Playwright's page has one. */
  click: (selector: string) => {
    const found = first(selector);
    if (!found) return "missing";
    found.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    found.click?.();
    return "ok";
  },

  /** The document as it is now, with every open shadow root as a template. */
  dom: (most: number) => {
    const root = document.documentElement;
    const attributes = [...root.attributes]
      .map(({ name, value }) => ` ${name}="${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`)
      .join("");
    const type = document.doctype ? `<!DOCTYPE ${document.doctype.name}>` : "";
    const inner = root.getHTML({ shadowRoots: rootsOf(document).slice(1) });
    const tag = root.tagName.toLowerCase();
    // Too much to send.
    if (inner.length > most) return { characters: inner.length };
    return { html: `${type}<${tag}${attributes}>${inner}</${tag}>`, mediaType: document.contentType };
  },

  /**
   * Stops and empties the document: its requests, timers, listeners and frames. Null if there is too much to stop. Runs in a separate context, where
   * the page cannot have replaced anything.
   */
  leave: async (mostTimers: number) => {
    stop();
    // Handlers of failing pending requests run first.
    await new Promise((resolve) => setTimeout(resolve));
    const [timer, frame, idle] = [
      Number(setTimeout(Object)),
      requestAnimationFrame(Object),
      requestIdleCallback(Object),
    ];
    if (timer + frame + idle > mostTimers) return null;
    for (let id = 1; id <= timer; id++) clearTimeout(id);
    for (let id = 1; id <= frame; id++) cancelAnimationFrame(id);
    for (let id = 1; id <= idle; id++) cancelIdleCallback(id);
    document.open();
    document.close();
    sessionStorage.clear();
    window.name = "";
    return location.origin;
  },

  forget: () => {
    sessionStorage.clear();
    window.name = "";
    return location.origin;
  },
} as const;
