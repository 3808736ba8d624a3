import { endAnchor, endFormatting, endGeneric } from "./formatting.ts";
import {
  allKnownKinds,
  BUTTON_SCOPE,
  ITEM_BOUND,
  knownKinds,
  LIST_SCOPE,
  type Role,
  SCOPE,
  type TagKind,
} from "./tag-kind.ts";
import type { TreeState } from "./tree-state.ts";

const { BODY, BR, BUTTON, DD, DT, LI, OPTION, P, RTC, RUBY, SVG, TEMPLATE } = knownKinds(
  "BODY BR BUTTON DD DT LI OPTION P RTC RUBY SVG TEMPLATE",
);
const HEADINGS = Object.values(knownKinds("h1 h2 h3 h4 h5 h6"));

// The standard's rules "in body", which hold in cells and captions too.
type Rule = (state: TreeState, kind: TagKind) => void;

const startBlock: Rule = (state, kind) => {
  state.closeParagraph();
  state.insert(kind);
};
const startInline: Rule = (state, kind) => {
  state.reopenFormatting();
  state.insert(kind);
};
const startFormatting: Rule = (state, kind) => {
  state.reopenFormatting();
  state.insertFormatting(kind);
};
const startItem = (state: TreeState, kind: TagKind, open: number): void => {
  if (open !== 0 && !state.hasAbove(open, ITEM_BOUND)) state.popTo(open);
  startBlock(state, kind);
};
const startRuby: Rule = (state, kind) => {
  if (state.inScope(RUBY, SCOPE) !== 0) state.popImplied(kind.role === "rubyText" ? RTC : undefined);
  state.insert(kind);
};

const starts: Readonly<Record<Role, Rule>> = {
  generic: startInline,
  block: startBlock,
  paragraph: startBlock,
  formatting: startFormatting,
  anchor(state, kind) {
    endAnchor(state);
    startFormatting(state, kind);
  },
  noBreak(state, kind) {
    if (state.inScope(kind, SCOPE) !== 0) state.leave("rare markup");
    startFormatting(state, kind);
  },
  listItem: (state, kind) => startItem(state, kind, state.topOf(LI)),
  definition: (state, kind) => startItem(state, kind, Math.max(state.topOf(DD), state.topOf(DT))),
  heading(state, kind) {
    state.closeParagraph();
    if (state.current.role === "heading") state.pop();
    state.insert(kind);
  },
  void(state, kind) {
    state.reopenFormatting();
    state.insertVoid(kind);
  },
  voidApart: (state, kind) => state.insertVoid(kind),
  headVoid: (state, kind) => state.insertVoid(kind),
  rule(state, kind) {
    state.closeParagraph();
    state.insertVoid(kind);
  },
  raw: (state, kind) => state.insertRaw(kind),
  headRaw: (state, kind) => state.insertRaw(kind),
  textarea(state, kind) {
    state.insertRaw(kind);
    state.skipsLineBreak = true;
  },
  table(state, kind) {
    // Only a page in quirks mode lets a table into a paragraph.
    if (state.isQuirks !== true && state.topOf(P) !== 0) {
      if (state.isQuirks === undefined) state.leave("unusual doctype");
      state.closeParagraph();
    }
    state.insert(kind);
    state.mode = "in table";
  },
  ignored(state) {
    // A template that begins with a part of a table holds it.
    if (state.isInTemplate) state.leave("table parts in a template");
  },
  form(state, kind) {
    if (state.form !== undefined && !state.isInTemplate) return;
    startBlock(state, kind);
    if (!state.isInTemplate) state.form = { slot: state.top, serial: state.serial };
  },
  button(state, kind) {
    endInScope(state, BUTTON, SCOPE);
    startInline(state, kind);
  },
  select(state, kind) {
    startInline(state, kind);
    state.mode = "in select";
  },
  option(state, kind) {
    if (state.current === OPTION) state.pop();
    startInline(state, kind);
  },
  preformatted(state, kind) {
    startBlock(state, kind);
    state.skipsLineBreak = true;
  },
  object(state, kind) {
    startInline(state, kind);
    state.formatting.mark();
  },
  svg(state) {
    state.reopenFormatting();
    if (state.isSelfClosing) state.insertVoid(SVG.foreign);
    else state.insert(SVG.foreign);
  },
  rubyBase: startRuby,
  rubyText: startRuby,
  template(state, kind) {
    state.insert(kind);
    state.formatting.mark();
    state.mode = "in body";
  },
  html(state) {
    if (!state.isInTemplate && state.hasAttributes()) state.leave("attributes of a second html or body");
  },
  body(state) {
    if (!state.isInTemplate) state.mergeBody();
  },
  rare(state, kind) {
    state.leave("rare markup");
    state.insert(kind);
  },
};

const endInScope = (state: TreeState, kind: TagKind, flags: number): boolean => {
  const slot = state.inScope(kind, flags);
  if (slot !== 0) state.popTo(slot);
  return slot !== 0;
};
const endBlock: Rule = (state, kind) => void endInScope(state, kind, SCOPE);
const endPage: Rule = (state) => {
  if (state.inScope(BODY, SCOPE) !== 0) state.mode = "after body";
};

/** Roles that are not here end as `generic` does. */
const ends: Readonly<Partial<Record<Role, Rule>>> = {
  block: endBlock,
  button: endBlock,
  preformatted: endBlock,
  definition: endBlock,
  formatting: endFormatting,
  anchor: endFormatting,
  noBreak: endFormatting,
  paragraph(state) {
    if (state.inScope(P, SCOPE | BUTTON_SCOPE) === 0) implied(state, P);
    state.closeParagraph();
  },
  listItem: (state, kind) => void endInScope(state, kind, SCOPE | LIST_SCOPE),
  heading(state) {
    const slot = Math.max(...HEADINGS.map((heading) => state.topOf(heading)));
    if (slot !== 0 && !state.hasAbove(slot, SCOPE)) state.popTo(slot);
  },
  form(state, kind) {
    if (state.isInTemplate) {
      endBlock(state, kind);
      return;
    }
    const { form } = state;
    state.form = undefined;
    if (form === undefined || !state.isOpen(form) || state.hasAbove(form.slot, SCOPE)) return;
    state.popImplied();
    state.endForm(form.slot);
  },
  object(state, kind) {
    if (endInScope(state, kind, SCOPE)) state.formatting.clearToMarker();
  },
  body: endPage,
  html: endPage,
  template(state) {
    const slot = state.topOf(TEMPLATE);
    if (slot === 0) return;
    state.popWithMode(slot);
    state.formatting.clearToMarker();
  },
  void(state, kind) {
    if (kind !== BR) return;
    state.reopenFormatting();
    implied(state, BR);
    state.pop(state.inside);
  },
};

/** An end tag that makes an element. As the first tag in a template it does not, and that is not tracked. */
function implied(state: TreeState, kind: TagKind): void {
  if (state.isInTemplate) state.leave("rare markup");
  state.insertImplied(kind);
}

const startsById: Rule[] = [];
const endsById: (Rule | undefined)[] = [];
for (const { id, role } of allKnownKinds()) {
  startsById[id] = starts[role];
  endsById[id] = ends[role];
}

export const startInBody: Rule = (state, kind) => (startsById[kind.id] ?? startInline)(state, kind);
export const endInBody: Rule = (state, kind) => (endsById[kind.id] ?? endGeneric)(state, kind);
