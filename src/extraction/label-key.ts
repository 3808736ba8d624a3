import { withoutUnseen } from "./reading/unseen.ts";

const MARKS_AT_THE_END =
  /(?:[\s:：.…*†‡§¶?¹²³⁰-⁹ⓘℹ–—-]|\((?:\d{1,2}|[a-z]|[*†‡]+)\)|\[(?:\d{1,2}|[a-z]|[*†‡?i]+)\])+$/u;
const MARKS_AT_THE_START = /^[\s:•·▪►»*†‡–—-]+/u;

/** A label as it is compared: in any case of letters, without colon, dots, bullets and footnote marks. */
export function labelKey(text: string): string {
  const folded = withoutUnseen(text.replace(/\s+/g, " ").trim()).toLowerCase();
  // A page has many texts and few of them end in a mark.
  return folded.replace(MARKS_AT_THE_END, "").replace(MARKS_AT_THE_START, "").replace(/[’ʼ]/g, "'");
}
