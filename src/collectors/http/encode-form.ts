import { randomBytes } from "node:crypto";
import { refuseUnknownOptions } from "../../domain/known-options.ts";
import type { Form, RequestBody } from "../../ports/collector.ts";
import { charsetByLabel } from "./decode-text.ts";
import type { FormEntry } from "./form.ts";
import { isSecretName, REDACTED } from "./secrets.ts";

interface EncodedBody {
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** The body for the archive, with its secrets redacted; absent if it has none. */
  readonly archivedBody?: Uint8Array;
}

const BODY_OPTIONS = { form: true, json: true, bytes: true, mediaType: true } as const;

/** The body given to `http.post`, as bytes. Secrets in a form or at the top of a JSON object are recognized by name. */
export const encodeBody = (given: RequestBody): EncodedBody => {
  refuseUnknownOptions(given, BODY_OPTIONS, "the body of http.post");
  if (!("bytes" in given || "json" in given || "form" in given))
    throw new TypeError(
      "the body of http.post must be { form: … }, { json: … } or { bytes: …, mediaType: … }",
    );
  if ("bytes" in given) return { mediaType: given.mediaType, body: given.bytes };
  const fields = "json" in given ? given.json : given.form;
  const encode = (value: unknown): EncodedBody =>
    "json" in given
      ? { mediaType: "application/json", body: Buffer.from(JSON.stringify(value)) }
      : encodeForm(entriesOf(value as FormFields), "application/x-www-form-urlencoded");
  if (typeof fields !== "object" || fields === null || !Object.keys(fields).some(isSecretName))
    return encode(fields);
  const redacted = Object.entries(fields).map(([name, value]) => [
    name,
    isSecretName(name) ? REDACTED : value,
  ]);
  return { ...encode(fields), archivedBody: encode(Object.fromEntries(redacted)).body };
};

type FormFields = Readonly<Record<string, string | readonly string[]>>;

const entriesOf = (form: FormFields): FormEntry[] =>
  Object.entries(form).flatMap(([name, value]) => [value].flat().map((one): FormEntry => [name, one]));

/** The body of a form's POST (HTML standard, form submission): line breaks become CR LF. */
export const encodeForm = (
  entries: readonly FormEntry[],
  enctype: Form["enctype"],
  charset = "utf-8",
): EncodedBody => {
  switch (enctype) {
    case "application/x-www-form-urlencoded":
      return { mediaType: enctype, body: Buffer.from(encodeQuery(entries, charset)) };
    case "multipart/form-data":
      return encodeMultipart(entries, charset);
    case "text/plain": {
      const lines = entries.map(([name, value]) => `${crlf(name)}=${crlf(textOf(value))}\r\n`);
      return { mediaType: enctype, body: encoderFor(charset)(lines.join("")) };
    }
    default:
      return enctype satisfies never;
  }
};

/** `a=1&b=2`: a form's query string, or its url-encoded body. A file counts by its name, as in browsers. */
export const encodeQuery = (entries: readonly FormEntry[], charset = "utf-8"): string => {
  const encode = encoderFor(charset);
  return entries
    .map(([name, value]) => `${percent(encode(crlf(name)))}=${percent(encode(crlf(textOf(value))))}`)
    .join("&");
};

const encodeMultipart = (entries: readonly FormEntry[], charset: string): EncodedBody => {
  const encode = encoderFor(charset);
  const boundary = `----SluiceFormBoundary${randomBytes(16).toString("hex")}`;
  const parts = entries.flatMap(([name, value]) => {
    const isText = typeof value === "string";
    const head =
      `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(crlf(name))}"` +
      (isText ? "" : `; filename="${escapeName(value.filename)}"\r\nContent-Type: ${value.mediaType}`);
    return [encode(`${head}\r\n\r\n`), isText ? encode(crlf(value)) : value.bytes, Buffer.from("\r\n")];
  });
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { mediaType: `multipart/form-data; boundary=${boundary}`, body };
};

const textOf = (value: FormEntry[1]): string => (typeof value === "string" ? value : value.filename);

const crlf = (text: string): string => text.replace(/\r\n|\r|\n/g, "\r\n");

const escapeName = (name: string): string =>
  name.replace(/["\r\n]/g, (char) => ({ '"': "%22", "\r": "%0D", "\n": "%0A" })[char]!);

/** The byte serializer of the URL standard: space is "+"; letters, digits and `*-._` stay; everything else is escaped. */
const percent = (bytes: Buffer): string =>
  bytes
    .toString("latin1")
    .replace(/[^\w*.-]/g, (char) =>
      char === " " ? "+" : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    );

/**
 * Encodes form data for a site that uses this charset. Single-byte charsets are encoded as such, with `&#8364;` for characters that they lack,
 * as in browsers; all others (UTF-8, and multi-byte charsets that Node cannot encode) become UTF-8.
 */
export const encoderFor = (charset: string): ((text: string) => Buffer) => {
  const table = tableOf(charset);
  if (!table) return (text) => Buffer.from(text);
  return (text) =>
    Buffer.concat(
      Array.from(text, (char) => {
        const byte = table.get(char);
        return byte === undefined ? Buffer.from(`&#${char.codePointAt(0)};`) : Buffer.of(byte);
      }),
    );
};

const SINGLE_BYTE =
  /^(?:windows-125\d|windows-874|iso-8859-\d+(?:-i)?|koi8-[ru]|ibm866|macintosh|x-mac-cyrillic)$/;

/** By the charset's own name, not by label: sites may write anything there. */
const tables = new Map<string, ReadonlyMap<string, number>>();

const tableOf = (label: string): ReadonlyMap<string, number> | undefined => {
  const charset = charsetByLabel(label);
  if (!charset || !SINGLE_BYTE.test(charset)) return undefined;
  let table = tables.get(charset);
  if (!table) {
    const decoder = new TextDecoder(charset);
    const chars = Array.from({ length: 256 }, (_, byte) => decoder.decode(Uint8Array.of(byte)));
    table = new Map(
      [...chars.entries()].filter(([, char]) => char !== "\uFFFD").map(([byte, char]) => [char, byte]),
    );
    tables.set(charset, table);
  }
  return table;
};
