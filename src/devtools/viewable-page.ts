import { storedPage, type StoredResponse } from "../collectors/http/page.ts";

export type { StoredResponse } from "../collectors/http/page.ts";

/** A stored page or file as a browser on this machine may show it. */
interface ViewableFile {
  readonly extension: string;
  readonly content: string | Uint8Array;
}

/** Formats that browsers run scripts in, and that cannot be told not to: they are shown as text. */
const MAY_RUN = /[/+]xml$|^text\/xml$|^(?:text|application)\/(?:javascript|ecmascript)$/;
const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/json": "json",
  "text/plain": "txt",
  "text/csv": "csv",
};

/** `extension`: of a file, as it is stored. */
export const viewable = (name: string, response: StoredResponse, extension?: string): ViewableFile => {
  const type = mediaTypeOf(response);
  if (type === "text/html") return { extension: "html", content: withoutScripts(storedPage(name, response)) };
  if (MAY_RUN.test(type) || type === "")
    return { extension: "txt", content: storedPage(name, response).text };
  if (extension !== undefined && !/^(?:html?|xht|xhtml|svg|xml)$/.test(extension))
    return { extension, content: response.body };
  return { extension: EXTENSIONS[type] ?? "txt", content: storedPage(name, response).text };
};

/** The text that extraction reads. */
export const pageText = (name: string, response: StoredResponse): string => storedPage(name, response).text;

const mediaTypeOf = ({ headers }: StoredResponse): string =>
  (headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "")
    .split(";", 1)[0]!
    .trim()
    .toLowerCase();

const POLICY =
  "script-src 'none'; object-src 'none'; frame-src 'none'; connect-src 'none'; form-action 'none'; worker-src 'none'";
const BEFORE_DOCTYPE = /^\uFEFF?\s*(?:<!--[\s\S]*?-->\s*)*(?:<!doctype[^>]*>)?/i;
const REFRESH = /(<meta\b[^>]*?)\bhttp-equiv(\s*=\s*["']?\s*refresh)/gi;

/** Links and pictures are found where the page came from; nothing in it runs, is sent, or leads away by itself. */
const withoutScripts = ({ text, url }: { readonly text: string; readonly url: string }): string => {
  const start = BEFORE_DOCTYPE.exec(text)![0];
  const base = /^https?:/.test(url) ? `<base href="${escaped(url)}" target="_blank">` : "";
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">${base}`;
  return start + head + text.slice(start.length).replace(REFRESH, "$1data-http-equiv$2");
};

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
