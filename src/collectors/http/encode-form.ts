import { randomBytes } from "node:crypto";
import { encoderFor } from "./form-charset.ts";
import type { Form } from "../../ports/collector.ts";
import type { FormEntry } from "./form-values.ts";

interface EncodedForm {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** The body of a form's POST (HTML standard, form submission): line breaks are CR LF whatever they were. */
export const encodeForm = (
  entries: readonly FormEntry[],
  enctype: Form["enctype"],
  charset = "utf-8",
): EncodedForm => {
  switch (enctype) {
    case "application/x-www-form-urlencoded":
      return { mediaType: enctype, bytes: Buffer.from(encodeQuery(entries, charset)) };
    case "multipart/form-data":
      return encodeMultipart(entries, charset);
    case "text/plain": {
      const lines = entries.map(([name, value]) => `${crlf(name)}=${crlf(textOf(value))}\r\n`);
      return { mediaType: enctype, bytes: encoderFor(charset)(lines.join("")) };
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

const encodeMultipart = (entries: readonly FormEntry[], charset: string): EncodedForm => {
  const encode = encoderFor(charset);
  const boundary = `----SluiceFormBoundary${randomBytes(16).toString("hex")}`;
  const parts = entries.flatMap(([name, value]) => {
    const isText = typeof value === "string";
    const head =
      `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(crlf(name))}"` +
      (isText ? "" : `; filename="${escapeName(value.filename)}"\r\nContent-Type: ${value.mediaType}`);
    return [encode(`${head}\r\n\r\n`), isText ? encode(crlf(value)) : value.bytes, Buffer.from("\r\n")];
  });
  const bytes = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { mediaType: `multipart/form-data; boundary=${boundary}`, bytes };
};

const textOf = (value: FormEntry[1]): string => (typeof value === "string" ? value : value.filename);

const crlf = (text: string): string => text.replace(/\r\n|\r|\n/g, "\r\n");

const escapeName = (name: string): string =>
  name.replace(/["\r\n]/g, (char) => ({ '"': "%22", "\r": "%0D", "\n": "%0A" })[char]!);

/** The byte serializer of the URL standard: space is "+", the rest of ASCII but letters, digits and `*-._` escaped. */
const percent = (bytes: Buffer): string =>
  bytes
    .toString("latin1")
    .replace(/[^\w*.-]/g, (char) =>
      char === " " ? "+" : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    );
