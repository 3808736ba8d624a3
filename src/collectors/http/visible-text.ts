const HIDDEN = /<(script|style|template|svg)\b[^]*?(?:<\/\1\s*>|$)|<!--[^]*?(?:-->|$)|<title\b[^<>]*>[^<]*/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&nbsp;": " ",
  "&#39;": "'",
  "&rsquo;": "'",
  "&quot;": '"',
};

/** Roughly what a reader would see of an HTML page: enough to count and to search, not to extract from. */
export const visibleText = (html: string): string =>
  plain(html.replace(HIDDEN, " ").replace(/<[^<>]*>/g, " "));

/** The page's title with white space folded, or "". */
export const titleOf = (html: string): string => {
  const start = html.search(/<title\b/i);
  if (start < 0) return "";
  const match = /^<title\b[^>]*>([^<]{0,300})/i.exec(html.slice(start, start + 600));
  return match ? plain(match[1]!) : "";
};

const plain = (text: string): string =>
  text
    .replace(/&(?:amp|nbsp|rsquo|quot|#39);/g, (entity) => ENTITIES[entity]!)
    .replace(/\s+/g, " ")
    .trim();
