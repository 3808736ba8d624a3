import { KNOWN_KINDS, kindByName, newKind } from "./tag-kind.ts";
import type { Context, TagKind } from "./tag-kind.ts";

const OWN_KINDS = 16;

/** The elements that are open at a place in a page, and whose rules hold there. */
export class OpenTags {
  readonly #stack: TagKind[] = [];
  /** By kind's id, so that an end tag without a start costs no search. */
  #counts = new Int32Array(KNOWN_KINDS + OWN_KINDS);
  readonly #contexts: Context[] = ["html"];
  #ownKinds: Map<string, TagKind> | undefined;

  get innermost(): TagKind | undefined {
    return this.#stack.at(-1);
  }

  get context(): Context {
    return this.#contexts.at(-1) ?? "html";
  }

  /** Whether some element around this place has changed whose rules hold, be it back to HTML's. */
  get hasContexts(): boolean {
    return this.#contexts.length > 1;
  }

  isOpen(kind: TagKind): boolean {
    return (this.#counts[kind.id] ?? 0) > 0;
  }

  push(kind: TagKind): void {
    this.#stack.push(kind);
    this.#counts[kind.id] = (this.#counts[kind.id] ?? 0) + 1;
    if (kind.context !== undefined) this.#contexts.push(kind.context);
  }

  pop(): TagKind | undefined {
    const kind = this.#stack.pop();
    if (kind === undefined) return undefined;
    this.#counts[kind.id] = (this.#counts[kind.id] ?? 1) - 1;
    if (kind.context !== undefined) this.#contexts.pop();
    return kind;
  }

  /** The kind of a name in lower case; a name that nobody knows has one of its own on this page. */
  kindNamed(name: string): TagKind {
    const known = kindByName(name) ?? this.#ownKinds?.get(name);
    if (known !== undefined) return known;
    this.#ownKinds ??= new Map();
    const kind = newKind(name, KNOWN_KINDS + this.#ownKinds.size);
    this.#ownKinds.set(name, kind);
    if (kind.id >= this.#counts.length) {
      const longer = new Int32Array(this.#counts.length * 2);
      longer.set(this.#counts);
      this.#counts = longer;
    }
    return kind;
  }
}
