import { asciiLowerCase, isNameEnd } from "./markup-codes.ts";

/** Where the end tag begins of an element that holds no markup, such as `<style>`: -1 when there is none. */
export function rawContentEnd(text: string, name: string, from: number): number {
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
export function scriptEnd(text: string, from: number): number {
  const plainEnd = rawContentEnd(text, "script", from);
  if (plainEnd === -1 || !text.slice(from, plainEnd).includes("<!--")) return plainEnd;
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
