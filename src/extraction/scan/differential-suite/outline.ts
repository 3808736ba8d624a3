import { decodeEntities } from "../decode-entities.ts";
import { HtmlScanner } from "../html-scanner.ts";
import type { ScanSink } from "../html-scanner.ts";
import { ATTRIBUTE_SIZE } from "../tag-attributes.ts";
import type { TagKind } from "../tag-kind.ts";

/** Tags, attributes by name, nesting and texts of a page: what two ways of reading it must have in common. */
export type Outline = string | [tag: string, attributes: [string, string][], children: Outline[]];

/** Comments may part a text; nothing tells the pieces from one. */
export function addOutline(children: Outline[], child: Outline): Outline[] {
  const last = children.at(-1);
  if (child === "") return children;
  if (typeof last === "string" && typeof child === "string") children[children.length - 1] = last + child;
  else children.push(child);
  return children;
}

/** The page as the scanner reads it. */
export function scannedOutline(page: string): Outline[] {
  const outline: Outline[] = [];
  const open = [outline];
  const sink: ScanSink = {
    opens(kind: TagKind) {
      const children: Outline[] = [];
      open.at(-1)?.push([kind.name, attributesOf(page, scanner), children]);
      open.push(children);
    },
    closes: () => void open.pop(),
    text(from, to, hasEntities) {
      const text = hasEntities ? decodeEntities(page, from, to, "text") : page.slice(from, to);
      addOutline(open.at(-1) ?? [], text);
    },
  };
  const scanner = new HtmlScanner(page, sink);
  scanner.run();
  if (open.length !== 1) throw new Error("an element was opened and not closed, or closed and not opened");
  return outline;
}

function attributesOf(page: string, { attributes }: HtmlScanner): [string, string][] {
  const values = new Map<string, string>();
  for (let place = attributes.first; place < attributes.end; place += ATTRIBUTE_SIZE) {
    const name = page.slice(attributes.places[place], attributes.places[place + 1]).toLowerCase();
    if (!values.has(name)) values.set(name, attributes.valueAt(place));
  }
  return [...values].sort(byName);
}

export const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : 1;
