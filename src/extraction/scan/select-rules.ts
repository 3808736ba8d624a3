import { startInBody } from "./body-start-rules.ts";
import { knownKind, OPTION_ROLE, RULE, TABLE_PART, TEMPLATE_ROLE } from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";
import { endTemplate, startTemplate } from "./template-rules.ts";
import { IN_SELECT_IN_TABLE } from "./insertion-mode.ts";
import type { TreeState } from "./tree-state.ts";

const COL = knownKind("col");
const COLGROUP = knownKind("colgroup");
const HTML_KIND = knownKind("html");
const INPUT = knownKind("input");
const KEYGEN = knownKind("keygen");
const OPTGROUP = knownKind("optgroup");
const OPTION = knownKind("option");
const SCRIPT = knownKind("script");
const SELECT = knownKind("select");
const TABLE = knownKind("table");
const TEXTAREA = knownKind("textarea");

/** Of a table around the select: they end it. */
const isOfTable = (state: TreeState, kind: TagKind): boolean =>
  state.mode === IN_SELECT_IN_TABLE &&
  ((kind.flags & TABLE_PART) !== 0 || kind === TABLE) &&
  kind !== COL &&
  kind !== COLGROUP;

// Returns whether the tag is to be processed again, in the mode that is now set. All other tags inside of a select are ignored.

export function startInSelect(state: TreeState, kind: TagKind): boolean {
  if (kind.role === OPTION_ROLE || kind.role === RULE) {
    if (state.current === OPTION) state.pop();
    if (kind !== OPTION && state.current === OPTGROUP) state.pop();
    if (kind.role === RULE) state.insertVoid(kind);
    else state.insert(kind);
    return false;
  }
  if (kind === SELECT || kind === INPUT || kind === KEYGEN || kind === TEXTAREA || isOfTable(state, kind)) {
    state.popWithMode(state.topOf(SELECT));
    return kind !== SELECT;
  }
  if (kind === SCRIPT) state.insertRaw(kind);
  else if (kind.role === TEMPLATE_ROLE) startTemplate(state);
  else if (kind === HTML_KIND) startInBody(state, kind);
  return false;
}

export function endInSelect(state: TreeState, kind: TagKind): boolean {
  if (kind === OPTION) {
    if (state.current === OPTION) state.pop();
  } else if (kind === OPTGROUP) {
    if (state.current === OPTION && state.kinds[state.top - 1] === OPTGROUP) state.pop();
    if (state.current === OPTGROUP) state.pop();
  } else if (kind === SELECT) state.popWithMode(state.topOf(SELECT));
  else if (kind.role === TEMPLATE_ROLE) endTemplate(state);
  else if (isOfTable(state, kind) && state.inTableScope(kind) !== 0) {
    state.popWithMode(state.topOf(SELECT));
    return true;
  }
  return false;
}
