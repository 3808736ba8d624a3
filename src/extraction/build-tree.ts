import { isControl, TreeParts } from "./html-tree.ts";
import type { HtmlTree, TreeElement } from "./html-tree.ts";
import { repairTree } from "./repair-tree.ts";
import { HtmlScanner } from "./scan/html-scanner.ts";
import { TEMPLATE_ROLE } from "./scan/tag-kind.ts";
import type { TagKind } from "./scan/tag-kind.ts";
import type { ScanOptions, ScanSink } from "./scan/tree-state.ts";
import { TextPlaces } from "./text-places.ts";

/**
 * The tree that a browser builds of a page: in one pass where that is enough, else by parse5. A page whose repair would have no end
 * is read without any.
 */
export function buildTree(text: string): HtmlTree {
  return scanTree(text) ?? repairTree(text) ?? new ScannedTree(text, { isLenient: true }).parts;
}

/** The tree of a page that needs no repair; undefined for one that does. */
export function scanTree(text: string, options: ScanOptions = {}): HtmlTree | undefined {
  const { parts, scanner } = new ScannedTree(text, options);
  if (scanner.reason === undefined) return parts;
  return scanner.lateBody !== undefined && options.lateBody === undefined
    ? scanTree(text, { lateBody: scanner.lateBody })
    : undefined;
}

class ScannedTree implements ScanSink {
  readonly parts: TreeParts;
  readonly scanner: HtmlScanner;
  readonly #texts: TextPlaces;
  #open: TreeElement;
  #form: TreeElement | undefined;

  constructor(text: string, options: ScanOptions) {
    this.scanner = new HtmlScanner(text, this, options);
    this.#texts = new TextPlaces(text);
    this.parts = new TreeParts(this.scanner.attributes, this.#texts);
    this.#open = this.parts.root;
    this.scanner.run();
    this.parts.end(this.parts.root, text.length);
  }

  opens(kind: TagKind, at: number, inside: number): void {
    const element = this.parts.add(kind.name, kind.lower, this.#open);
    element.at = at;
    element.inside = inside;
    this.#open = element;
    if (kind.role === TEMPLATE_ROLE) this.parts.markTemplate(element);
    if (kind.name === "form" && !this.scanner.isInTemplate) this.#form = element;
    else if (isControl(kind.name) && this.scanner.hasForm) element.form = this.#form;
  }

  text(from: number, to: number, hasEntities: boolean): void {
    this.#texts.add(from, to, hasEntities);
  }

  closes(_kind: TagKind, at: number): void {
    this.parts.end(this.#open, at);
    this.#open = this.#open.parent ?? this.parts.root;
  }
}
