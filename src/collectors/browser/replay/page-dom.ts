/**
 * The parts of the DOM that replay's scripts use, for type checking only: the program itself runs outside a page and is compiled without the
 * types of browsers.
 */
export interface PageNode {
  readonly nodeType: number;
  readonly textContent: string | null;
  readonly parentNode: PageNode | null;
  readonly childNodes: ArrayLike<PageNode>;
  readonly ownerDocument: PageDocument;
  contains(other: PageNode | null): boolean;
  getRootNode(): PageRoot;
}

export interface PageRoot extends PageNode {
  /** Only of shadow roots. */
  readonly host?: PageElement;
  readonly activeElement: PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
  elementFromPoint(x: number, y: number): PageElement | null;
}

export interface PageDocument extends PageRoot {
  readonly body: PageElement | null;
  readonly head: PageElement | null;
  evaluate(
    expression: string,
    context: PageNode,
    resolver: null,
    type: number,
  ): { readonly snapshotLength: number; snapshotItem(index: number): PageNode | null };
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

export interface PageOption {
  readonly value: string;
  readonly label: string;
  readonly text: string;
  selected: boolean;
}

/** All that an element may have; what depends on its kind is optional. */
export interface PageElement extends PageNode {
  readonly localName: string;
  readonly shadowRoot: PageRoot | null;
  readonly parentElement: PageElement | null;
  readonly isContentEditable?: boolean;
  readonly innerText?: string;
  readonly tabIndex?: number;
  readonly labels?: ArrayLike<PageElement> | null;
  readonly options?: ArrayLike<PageOption>;
  readonly multiple?: boolean;
  readonly readOnly?: boolean;
  readonly checked?: boolean;
  readonly type?: string;
  selectedIndex?: number;
  value?: string;
  scrollLeft: number;
  scrollTop: number;
  assignedNodes?(): ArrayLike<PageNode>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  matches(selector: string): boolean;
  closest(selector: string): PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
  checkVisibility(options: { readonly visibilityProperty: boolean }): boolean;
  getBoundingClientRect(): Box;
  getClientRects(): ArrayLike<Box>;
  scrollIntoView(options: object): void;
  focus(options?: object): void;
  select?(): void;
  click?(): void;
  dispatchEvent(event: object): boolean;
}

/** What a page has beside its document. */
export interface PageWindow {
  readonly document: PageDocument;
  readonly parent: PageWindow;
  readonly innerWidth: number;
  readonly innerHeight: number;
  readonly performance: { readonly timeOrigin: number };
  readonly Event: new (name: string, options: object) => object;
  getComputedStyle(
    element: PageElement,
    pseudo?: string,
  ): { readonly display: string; readonly content: string; readonly pointerEvents: string };
  getSelection(): { selectAllChildren(node: PageNode): void; collapseToEnd(): void } | null;
  requestAnimationFrame(call: () => void): void;
  setTimeout(call: () => void, ms: number): void;
}
