import { AMP, isNameEnd, LESS } from "./markup-codes.ts";
import type { ScanSink } from "./html-scanner.ts";

/**
 * Hands on the text inside an element that holds no markup, such as `<script>`, and returns where its end tag begins: -1 when
 * there is none. With `hasEntities` it is a `<title>` or `<textarea>`.
 *
 * The end tag is recognised as htmlparser2 does it, down to the control characters that it takes for `<` and `/` and to the
 * `&` that it does not decode right after a `<`.
 */
export function scanRawContent(
  text: string,
  name: string,
  from: number,
  hasEntities: boolean,
  sink: ScanSink,
): number {
  const endTag = `</${name}`;
  const { length } = text;
  let pieceFrom = from;
  let matched = 0;
  for (let at = from; at < length; at++) {
    const code = text.charCodeAt(at);
    if (matched === endTag.length) {
      if (isNameEnd(code)) {
        const end = at - endTag.length;
        if (end > pieceFrom) sink.text(pieceFrom, end, hasEntities);
        return end;
      }
      matched = 0;
    }
    if ((code | 32) === endTag.charCodeAt(matched)) matched++;
    else if (matched > 0) {
      matched = code === LESS ? 1 : 0;
      if (hasEntities && code === AMP) {
        sink.text(pieceFrom, at, true);
        sink.text(at, at + 1, false);
        pieceFrom = at + 1;
      }
    } else if (!hasEntities) {
      at = text.indexOf("<", at + 1);
      if (at === -1) break;
      matched = 1;
    }
  }
  if (length > pieceFrom) sink.text(pieceFrom, length, hasEntities);
  return -1;
}
