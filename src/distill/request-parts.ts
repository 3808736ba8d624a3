import { stepTo } from "./json-paths.ts";
import { textOf, unescaped } from "./location.ts";
import { type Call, headerOf, type Pairs } from "./run.ts";

/** Which part of a request a value is, as it is named to people: `query \`sig\``. */
export interface PartId {
  readonly in: "path" | "query" | "form" | "json" | "body" | "header";
  readonly name: string;
  /** Of several with this name, from 0. */
  readonly nth: number;
}

/** One changeable part of a request, decoded. */
export interface RequestPart extends PartId {
  readonly value: string;
}

export type BodyKind = "form" | "json" | "text";

/** A request in parts. */
export interface SplitRequest {
  readonly parts: readonly RequestPart[];
  readonly bodyKind: BodyKind | undefined;
  /** Of a text. */
  readonly mediaType?: string;
  /** Of JSON: the whole, whose leaves are parts. */
  readonly json?: unknown;
}

export const partName = ({ in: place, name }: Pick<PartId, "in" | "name">): string => {
  switch (place) {
    case "path":
      return `path segment ${name}`;
    case "form":
      return `form field \`${name}\``;
    case "json":
      return name === "" ? "the JSON body" : `JSON value \`${name}\``;
    case "body":
      return "the body";
    case "query":
    case "header":
      return `${place} \`${name}\``;
    default:
      return place satisfies never;
  }
};

/** The same part in another run. */
export const partKey = ({ in: place, name, nth }: PartId): string => `${place} ${nth} ${name}`;

/** Headers that every client sets for itself. `accept` is not among them: sites choose between HTML and JSON by it. */
const OWN_HEADERS =
  /^(?:host|connection|user-agent|accept-(?:language|encoding|charset)|sec-.*|dnt|priority|pragma|cache-control|upgrade.*|content-(?:length|type)|cookie|te|if-.*|purpose|x-devtools-.*|:.*)$/;
/** Tried only when the site does not answer without them. */
const DOUBTFUL_HEADERS = /^(?:referer|origin)$/;

export const splitRequest = (call: Call, isComplete = false): SplitRequest => {
  const { url } = call;
  const path = url.pathname.split("/").slice(1);
  const body = splitBody(call);
  return {
    ...body,
    parts: [
      ...path.map((segment, at): RequestPart => ({
        in: "path",
        name: String(at + 1),
        nth: 0,
        value: unescaped(segment),
      })),
      ...numbered("query", [...url.searchParams]),
      ...body.parts,
      ...numbered(
        "header",
        call.requestHeaders.filter(([name, value]) => isKept(call, name, value, isComplete)),
      ),
    ],
  };
};

const isKept = ({ type }: Call, name: string, value: string, isComplete: boolean): boolean => {
  if (name === "accept") return type !== "document" && value !== "";
  if (isComplete && /^(?:sec-fetch-.*|accept-language)$/.test(name)) return true;
  return !OWN_HEADERS.test(name) && (isComplete || !DOUBTFUL_HEADERS.test(name));
};

const numbered = (place: PartId["in"], pairs: Pairs): RequestPart[] => {
  const counts = new Map<string, number>();
  return pairs.map(([name, value]) => {
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    return { in: place, name, nth, value };
  });
};

const splitBody = ({ requestBody, requestHeaders }: Call): SplitRequest => {
  if (requestBody === undefined || requestBody.length === 0) return { parts: [], bodyKind: undefined };
  const text = Buffer.from(requestBody).toString("utf8");
  const type = headerOf(requestHeaders, "content-type") ?? "text/plain";
  if (type.startsWith("application/x-www-form-urlencoded"))
    return { parts: numbered("form", [...new URLSearchParams(text)]), bodyKind: "form" };
  const json = /json/.test(type) || /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (json !== undefined) return { parts: jsonParts(json.value, ""), bodyKind: "json", json: json.value };
  const [body, mediaType] = withFixedBoundary(text, type);
  return { parts: [{ in: "body", name: "", nth: 0, value: body }], bodyKind: "text", mediaType };
};

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};

const BOUNDARY = "sluice-form-boundary";

/** The boundary of a multipart form is random for each request, and has no meaning. */
const withFixedBoundary = (text: string, type: string): readonly [string, string] => {
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  return boundary === undefined
    ? [text, type]
    : [text.replaceAll(boundary, BOUNDARY), type.replace(boundary, BOUNDARY)];
};

const jsonParts = (value: unknown, path: string): RequestPart[] => {
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, inside]) =>
      jsonParts(inside, stepTo(path, key, Array.isArray(value))),
    );
  return [{ in: "json", name: path, nth: 0, value: textOf(value) ?? "null" }];
};

/** Fixed text of a path or query. Some characters need no escape there, and sites may insist. */
export const urlText = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:3A|40|2C|3B|24)/g, decodeURIComponent);
