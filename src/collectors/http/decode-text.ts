import { isAscii, isUtf8 } from "node:buffer";

/** Media type in lower case without parameters, and the declared charset. */
export const readContentType = (header: string | undefined): { mediaType: string; charset?: string } => {
  if (!header) return { mediaType: "" };
  const end = header.indexOf(";");
  if (end < 0) return { mediaType: header.trim().toLowerCase() };
  const charset = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(header)?.[1];
  return { mediaType: header.slice(0, end).trim().toLowerCase(), ...(charset && { charset }) };
};

/** The encoding of a text, by byte order mark, header, the document's own declaration, then the bytes themselves. */
export const detectCharset = (bytes: Buffer, mediaType: string, declared: string | undefined): string => {
  const named =
    bomCharset(bytes) ?? wideXml(bytes) ?? charsetByLabel(declared) ?? ownCharset(bytes, mediaType);
  if (named !== undefined) return named;
  // Undeclared and not UTF-8: almost always an old page of a Western server.
  return isUtf8(bytes) ? "utf-8" : "windows-1252";
};

/** Without NUL characters: they mean nothing in text, and databases and spreadsheets reject them. */
export const decodeText = (bytes: Buffer, charset: string): string => {
  const text = decode(bytes, charset);
  return bytes.includes(0) ? text.replaceAll("\0", "") : text;
};

const decode = (bytes: Buffer, charset: string): string => {
  if (charset === "utf-8") {
    if (isAscii(bytes)) return bytes.toString("latin1");
    const start = bomCharset(bytes) === "utf-8" ? 3 : 0;
    return bytes.toString("utf8", start);
  }
  return new TextDecoder(charset).decode(bytes);
};

const bomCharset = (bytes: Buffer): string | undefined => {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return undefined;
};

/** `<?` in UTF-16: these bytes identify XML without a byte order mark. */
const wideXml = (bytes: Buffer): string | undefined => {
  const start = bytes.toString("latin1", 0, 4);
  return start === "<\0?\0" ? "utf-16le" : start === "\0<\0?" ? "utf-16be" : undefined;
};

/** The canonical name for a label of the Encoding standard; unknown labels count as not declared. */
export const charsetByLabel = (label: string | undefined): string | undefined => {
  if (label === undefined) return undefined;
  if (/^utf-?8$/i.test(label)) return "utf-8";
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
};

/** The declaration in the document's first 1,024 bytes: `<meta>` in HTML, `<?xml …?>` in XML. */
const ownCharset = (bytes: Buffer, mediaType: string): string | undefined => {
  if (mediaType.endsWith("json")) return "utf-8";
  const start = bytes.toString("latin1", 0, 1024);
  const label =
    /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/.exec(start)?.[1] ??
    metaCharset(start.replace(COMMENT, ""));
  const known = charsetByLabel(label);
  // Text that was readable so far is not UTF-16, whatever it declares (HTML standard, prescan).
  return known?.startsWith("utf-16") ? "utf-8" : known;
};

const COMMENT = /<!--[^]*?(?:-->|$)/g;

/** `<meta charset=…>`, or `charset=` inside the content of an http-equiv. */
const metaCharset = (start: string): string | undefined => {
  for (const [tag] of start.matchAll(/<meta[\s/][^>]*/gi)) {
    const direct = /[\s/"']charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(
      tag.replace(/content\s*=\s*("[^"]*"|'[^']*')/i, ""),
    );
    if (direct) return direct[1];
    if (!/http-equiv\s*=\s*["']?\s*content-type/i.test(tag)) continue;
    const inContent = /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(tag);
    if (inContent) return inContent[1];
  }
  return undefined;
};
