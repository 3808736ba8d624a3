const DOCTYPE =
  /^<!doctype\s+html(?:\s+public\s*(?:"([^"]*)"|'([^']*)')\s*(?:("[^"]*"|'[^']*'))?|\s+system\s*["']about:legacy-compat["'])?\s*>$/i;
const STANDARD =
  /^-\/\/w3c\/\/dtd (?:xhtml 1\.0 (?:strict|transitional|frameset)|xhtml 1\.1|xhtml basic 1\.[01]|html 4\.01|html 4\.0)\/\//i;
const BY_SYSTEM = /^-\/\/w3c\/\/dtd html 4\.01 (?:transitional|frameset)\/\//i;

/** Whether a page with this doctype is in quirks mode; undefined for one that is not among the common ones. */
export function isQuirksDoctype(doctype: string): boolean | undefined {
  const match = DOCTYPE.exec(doctype);
  if (match === null) return undefined;
  const [, double, single, system] = match;
  const publicId = double ?? single;
  if (publicId === undefined) return false;
  // One system identifier, of IBM, means quirks whatever stands before it.
  if (system?.includes("ibm.com") === true) return undefined;
  if (STANDARD.test(publicId)) return false;
  return BY_SYSTEM.test(publicId) ? system === undefined : undefined;
}
