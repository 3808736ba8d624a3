import { asciiLowerCase, BANG, DASH, GREATER, isNameEnd } from "./markup-codes.ts";
import type { TagKind } from "./tag-kind.ts";

/** Where the end tag begins of an element that holds no markup, such as `<style>`: -1 when there is none. */
export const rawContentEnd = (text: string, { name, content }: TagKind, from: number): number =>
  content === "script" ? scriptEnd(text, from) : plainEnd(text, name, from);

function plainEnd(text: string, name: string, from: number): number {
  for (let at = text.indexOf("</", from); at !== -1; at = text.indexOf("</", at + 2)) {
    if (isNamed(text, at + 2, name)) return at;
  }
  return -1;
}

const isNamed = (text: string, from: number, name: string): boolean => {
  const to = from + name.length;
  return to < text.length && isNameEnd(text.charCodeAt(to)) && asciiLowerCase(text.slice(from, to)) === name;
};

const SCRIPT_MARK = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;

/**
 * Of a script. One that hides its code in `<!-- … -->` may write `<script>` in there, and then the next `</script>` is that one's
 * end, not its own.
 */
function scriptEnd(text: string, from: number): number {
  const end = plainEnd(text, "script", from);
  if (end === -1 || !text.slice(from, end).includes("<!--")) return end;
  let state: "shown" | "hidden" | "inner" = "shown";
  SCRIPT_MARK.lastIndex = from;
  for (let match = SCRIPT_MARK.exec(text); match !== null; match = SCRIPT_MARK.exec(text)) {
    const [mark] = match;
    if (mark === "-->") state = "shown";
    else if (mark === "<!--") {
      if (state === "shown") state = "hidden";
      // Its dashes count for `-->` too.
      SCRIPT_MARK.lastIndex = match.index + 2;
    } else if (mark.startsWith("</")) {
      if (state !== "inner") return match.index;
      state = "hidden";
    } else if (state === "hidden") state = "inner";
  }
  return -1;
}

export function pastGreater(text: string, from: number): number {
  const at = text.indexOf(">", from);
  return at === -1 ? text.length : at + 1;
}

/** Past a comment, a doctype or whatever else begins with `<!` or `<?`. */
export function pastDeclaration(text: string, at: number): number {
  if (!text.startsWith("<!--", at)) return pastGreater(text, at + 2);
  const from = at + 4;
  if (text.charCodeAt(from) === GREATER) return from + 1;
  if (text.charCodeAt(from) === DASH && text.charCodeAt(from + 1) === GREATER) return from + 2;
  for (let dashes = text.indexOf("--", from); dashes !== -1; dashes = text.indexOf("--", dashes + 1)) {
    const next = text.charCodeAt(dashes + 2);
    if (next === GREATER) return dashes + 3;
    if (next === BANG && text.charCodeAt(dashes + 3) === GREATER) return dashes + 4;
  }
  return text.length;
}
