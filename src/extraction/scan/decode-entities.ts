import { DecodingMode, EntityDecoder, htmlDecodeTree } from "entities/decode";

/** Entities of a page's text or of an attribute's value: an attribute keeps `&copy=1` as it is, since it may be an address. */
type EntityRules = "text" | "attribute";

let decoded = "";
let consumed = 0;
const decoder = new EntityDecoder(htmlDecodeTree, (codePoint, length) => {
  decoded += String.fromCodePoint(codePoint);
  consumed = length;
});

/** A page's line breaks are line feeds, however they are written. */
export const foldBreaks = (text: string): string =>
  text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;

/** The piece of the page from `from` to `to`; whether an entity ends well may depend on what stands after `to`. */
export function decodeEntities(text: string, from: number, to: number, rules: EntityRules): string {
  const piece = text.slice(from, to);
  let amp = piece.indexOf("&");
  if (amp === -1) return foldBreaks(piece);
  let result = "";
  let rest = 0;
  while (amp !== -1) {
    decoded = "";
    consumed = 0;
    decoder.startEntity(rules === "text" ? DecodingMode.Legacy : DecodingMode.Attribute);
    if (decoder.write(text, from + amp + 1) < 0) decoder.end();
    if (consumed > 0) {
      result += foldBreaks(piece.slice(rest, amp)) + decoded;
      rest = amp + consumed;
    }
    amp = piece.indexOf("&", Math.max(rest, amp + 1));
  }
  return rest === 0 ? foldBreaks(piece) : result + foldBreaks(piece.slice(rest));
}
