import { refuseUnknownOptions } from "../../domain/known-options.ts";
import type { RequestBody } from "../../ports/collector.ts";
import { encodeForm } from "./encode-form.ts";
import { isSecretName } from "./secret-name.ts";

interface EncodedBody {
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** With its secrets struck out, for the archive; absent when it has none. */
  readonly archivedBody?: Uint8Array;
}

const BODY_OPTIONS = { form: true, json: true, bytes: true, mediaType: true } as const;
const REDACTED = "[redacted]";

/** What `http.post` was given, as bytes. Secrets in a form or at the top of a JSON object are known by their names. */
export const encodeBody = (given: RequestBody): EncodedBody => {
  refuseUnknownOptions(given, BODY_OPTIONS, "the body of http.post");
  if (!("bytes" in given || "json" in given || "form" in given))
    throw new TypeError("the body of http.post is { form: … }, { json: … } or { bytes: …, mediaType: … }");
  if ("bytes" in given) return { mediaType: given.mediaType, body: given.bytes };
  const fields = "json" in given ? given.json : given.form;
  const encode = (value: unknown): Omit<EncodedBody, "archivedBody"> =>
    "json" in given ? jsonBody(value) : formBody(value as Record<string, string | readonly string[]>);
  if (typeof fields !== "object" || fields === null || !Object.keys(fields).some(isSecretName))
    return encode(fields);
  const struckOut = Object.entries(fields).map(([name, value]) => [
    name,
    isSecretName(name) ? REDACTED : value,
  ]);
  return { ...encode(fields), archivedBody: encode(Object.fromEntries(struckOut)).body };
};

const jsonBody = (value: unknown) => ({
  mediaType: "application/json",
  body: Buffer.from(JSON.stringify(value)),
});

const formBody = (form: Readonly<Record<string, string | readonly string[]>>) => {
  const entries = Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  const { mediaType, bytes } = encodeForm(entries, "application/x-www-form-urlencoded");
  return { mediaType, body: bytes };
};
