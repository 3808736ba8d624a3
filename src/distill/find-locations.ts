import { shortSelector } from "../devtools/draft/short-selector.ts";
import type { HtmlElement } from "../extraction/html-document.ts";
import { compileSelector } from "../extraction/selector.ts";
import { pageKind } from "../extraction/parse-page.ts";
import { encode, ENCODING_NAMES, type EncodingName } from "./encodings.ts";
import {
  answerOf,
  entriesOf,
  type Location,
  type Place,
  readLocation,
  type RecordedAnswer,
  setCookies,
  textOf,
  unescaped,
} from "./location.ts";
import { listPaths, stepTo } from "./json-paths.ts";
import type { Call } from "./run.ts";

/** A value of a response, and its location there. */
interface Candidate {
  readonly value: string;
  /** It has its own name: a field of JSON or of a form, a header, a parameter. Short values count only there. */
  readonly isNamed: boolean;
  /** Lower is better. */
  readonly rank: number;
  /** Undefined if no stable way leads to it. */
  readonly locate: () => Location | undefined;
}

export interface Found {
  readonly location: Location;
  readonly encoding: EncodingName;
}

/** Values that are shorter occur by chance: they count only where they have a name. */
const SHORT = 6;
/** An answer with more values is a data dump: the rest is not searched. */
const MOST_VALUES = 50_000;
const LONGEST = 20_000;

/** The values of an answer by what an encoding makes of them. */
type Index = ReadonlyMap<
  string,
  readonly { readonly candidate: Candidate; readonly encoding: EncodingName }[]
>;
const indexes = new WeakMap<Call, Index>();

/**
 * A location that gives the wanted value in every run, best first: named before unnamed, unchanged before encoded. `calls` are the same call in each
 * run.
 */
export const findLocations = (calls: readonly Call[], wanted: readonly string[]): Found[] => {
  const [first] = calls;
  const [value] = wanted;
  if (first === undefined || value === undefined || value === "") return [];
  const hits = indexOf(first).get(value) ?? [];
  const sorted = hits
    .filter(({ candidate }) => candidate.isNamed || value.length >= SHORT)
    .toSorted((a, b) => order(a) - order(b));
  const found = sorted.flatMap(({ candidate, encoding }): Found[] => {
    const location = candidate.locate();
    if (location === undefined) return [];
    const isThere = calls.every((call, run) => {
      const text = readLocation(location, answerOf(call), undefined);
      return text !== undefined && encode(encoding, text) === wanted[run];
    });
    return isThere ? [{ location, encoding }] : [];
  });
  return found;
};

/** If a list has several entries, the first may be the wrong one: the entry with the input is better. */
export const findEntry = (
  calls: readonly Call[],
  wanted: readonly string[],
  inputs: ReadonlyMap<string, readonly string[]>,
): Found | undefined => {
  const [first] = calls;
  if (first === undefined) return undefined;
  for (const list of listPaths([answerOf(first).json]).map((path) => path.slice(0, -"[]".length))) {
    const lists = calls.map((call) => entriesOf(answerOf(call).at(list)));
    const entry = lists[0]?.find((one) => Object.values(one).some((value) => textOf(value) === wanted[0]));
    if (entry === undefined) continue;
    const members = Object.keys(entry).filter((name) => textOf(entry[name]) === wanted[0]);
    for (const [property, given] of inputs)
      for (const where of Object.keys(entry).filter((name) => textOf(entry[name]) === given[0]))
        for (const member of members) {
          const isThere = lists.every((entries, run) => {
            const found = entries.find((one) => textOf(one[where]) === given[run]);
            return textOf(found?.[member]) === wanted[run];
          });
          const place: Place = { in: "entry", list, where, property, member };
          if (isThere && member !== where) return { location: { place }, encoding: "plain" };
        }
  }
  return undefined;
};

/** Whether a location counts on an entry of a list that has others. */
export const isAmbiguous = ({ place }: Location, calls: readonly Call[]): boolean => {
  const list = place.in === "json" ? /^(.*?)\[\d+\]/.exec(place.path)?.[1] : undefined;
  return list !== undefined && calls.some((call) => entriesOf(answerOf(call).at(list)).length > 1);
};

/** Values of the first call that are part of a longer text, longest first. */
export const valuesWithin = (call: Call, text: string): readonly string[] =>
  [...indexOf(call).keys()]
    .filter((value) => value.length >= SHORT && value.length < text.length && text.includes(value))
    .toSorted((a, b) => b.length - a.length);

const order = ({ candidate, encoding }: { candidate: Candidate; encoding: EncodingName }): number =>
  candidate.rank * ENCODING_NAMES.length +
  ENCODING_NAMES.indexOf(encoding as (typeof ENCODING_NAMES)[number]);

const indexOf = (call: Call): Index => {
  const known = indexes.get(call);
  if (known !== undefined) return known;
  const index = new Map<string, { candidate: Candidate; encoding: EncodingName }[]>();
  let count = 0;
  for (const candidate of candidatesIn(call)) {
    if (count++ > MOST_VALUES) break;
    if (candidate.value === "" || candidate.value.length > LONGEST) continue;
    const seen = new Set<string>();
    for (const encoding of ENCODING_NAMES) {
      const encoded = encode(encoding, candidate.value);
      if (encoded === undefined || encoded === "" || seen.has(encoded)) continue;
      seen.add(encoded);
      const same = index.get(encoded);
      if (same === undefined) index.set(encoded, [{ candidate, encoding }]);
      else same.push({ candidate, encoding });
    }
  }
  indexes.set(call, index);
  return index;
};

function* candidatesIn(call: Call): Iterable<Candidate> {
  const answer = answerOf(call);
  yield* inHeaders(call);
  // Without a redirect, the address is the request's own.
  if (call.finalUrl !== call.url.href) yield* urlParts(call.finalUrl, { in: "url" }, answer.url, 4);
  if (answer.json !== undefined) yield* inJson(answer.json, "", answer.url);
  else if (pageKind(answer) === "html") yield* inHtml(answer);
  yield* inSource(answer.text);
}

const at =
  (place: Place, part?: Location["part"]): (() => Location) =>
  () =>
    part === undefined ? { place } : { place, part };

const COMMON_HEADERS =
  /^(?:date|age|server|via|vary|etag|expires|last-modified|connection|keep-alive|transfer-encoding|content-(?!location).*|cache-control|pragma|accept-.*|access-control-.*|strict-.*|x-frame-.*|x-content-.*|x-powered-by|set-cookie|alt-svc|report-to|nel|x-orig-.*)$/;

function* inHeaders({ responseHeaders, finalUrl }: Call): Iterable<Candidate> {
  for (const [name, value] of setCookies(responseHeaders))
    yield { value, isNamed: true, rank: 2, locate: at({ in: "cookie", name }) };
  for (const [name, value] of responseHeaders) {
    if (COMMON_HEADERS.test(name)) continue;
    const place: Place = { in: "header", name };
    yield { value, isNamed: true, rank: 1, locate: at(place) };
    if (/^(?:https?:|\/)/.test(value)) yield* urlParts(value, place, finalUrl, 3);
  }
}

/** The parts of a URL at a location. */
function* urlParts(
  text: string,
  place: Place | (() => Place | undefined),
  base: string,
  rank: number,
): Iterable<Candidate> {
  const url = URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return;
  const located = (part: Location["part"]) => (): Location | undefined => {
    const found = typeof place === "function" ? place() : place;
    return found && part !== undefined ? { place: found, part } : undefined;
  };
  yield { value: url.href, isNamed: true, rank: rank - 1, locate: located("whole") };
  for (const [query, value] of url.searchParams)
    yield { value, isNamed: true, rank, locate: located({ query }) };
  for (const [segment, part] of url.pathname.split("/").entries())
    yield { value: unescaped(part), isNamed: false, rank: rank + 1, locate: located({ segment }) };
}

function* inJson(value: unknown, path: string, base: string): Iterable<Candidate> {
  if (typeof value === "object" && value !== null) {
    for (const [key, inside] of Object.entries(value))
      yield* inJson(inside, stepTo(path, key, Array.isArray(value)), base);
    return;
  }
  const text = textOf(value);
  if (text === undefined) return;
  const place: Place = { in: "json", path };
  yield { value: text, isNamed: true, rank: 0, locate: at(place) };
  if (/^(?:https?:\/\/|\/[^/\s])\S*$/.test(text)) yield* urlParts(text, place, base, 3);
}

const LINKS = new Set(["href", "src", "action", "formaction", "data-url", "data-href"]);
/** Texts of elements that hold one value, not prose. */
const LONGEST_TEXT = 200;

function* inHtml(answer: RecordedAnswer): Iterable<Candidate> {
  const { document } = answer;
  for (const element of document.all(compileSelector("*"))) {
    for (const [name, value] of document.attributesOf(element)) {
      const place = (): Place | undefined => attrPlace(answer, element, name);
      if (name === "class" || name === "style" || name === "id") continue;
      const isNamed = /^(?:meta|input|button|select|option)$/.test(element.tag) || name.startsWith("data-");
      const rank = isNamed ? 0 : 3;
      const locate = (): Location | undefined => {
        const found = place();
        return found && { place: found };
      };
      yield { value, isNamed, rank, locate };
      if (LINKS.has(name)) yield* urlParts(value, place, answer.url, 3);
    }
    if (element.tag === "script" || element.tag === "style" || document.childrenOf(element).length > 0)
      continue;
    const text = document.textOf(element);
    if (text === "" || text.length > LONGEST_TEXT) continue;
    const locate = (): Location | undefined => {
      const css = shortSelector(document, [element]);
      return css === undefined ? undefined : { place: { in: "text", css } };
    };
    yield { value: text, isNamed: false, rank: 5, locate };
  }
}

const quoted = (text: string): string => JSON.stringify(text);

/** How the attribute is found: by the name of its control or meta element, else by a short selector. */
const attrPlace = ({ document }: RecordedAnswer, element: HtmlElement, name: string): Place | undefined => {
  const isFirst = (css: string): boolean => document.first(compileSelector(css)) === element;
  for (const key of ["name", "property", "http-equiv"]) {
    const value = /^(?:meta|input|button|select|textarea)$/.test(element.tag) && document.attr(element, key);
    const css = `${element.tag}[${key}=${quoted(value || "")}]`;
    if (value && key !== name && isFirst(css)) return { in: "attr", css, name };
  }
  const short = shortSelector(document, [element]);
  if (short !== undefined) return { in: "attr", css: short, name };
  const near = [
    `${element.tag}[${name}]`,
    `[${name}]`,
    ...firstOfClass(document.attr(element, "class"), element.tag),
  ];
  const css = near.find(isFirst);
  return css === undefined ? undefined : { in: "attr", css, name };
};

const firstOfClass = (classes: string | undefined, tag: string): string[] =>
  (classes ?? "").split(/\s+/).flatMap((name) => (/^[A-Za-z_][\w-]*$/.test(name) ? [`${tag}.${name}`] : []));

/** `name = "value"`, `name: 'value'` and `"name":"value"` in scripts, and the hidden fields of an ASP.NET partial answer. */
const ASSIGNED =
  /(["']?)([A-Za-z_$][\w$-]{1,60})\1\s*([:=])\s*(?:(["'])((?:(?!\4)[^\\\n]|\\.){1,4000})\4|(\d{6,}))/g;
const DELTA = /\|hiddenField\|([\w$:.-]{1,200})\|([^|]*)\|/g;

function* inSource(text: string): Iterable<Candidate> {
  for (const [, mark, name, sign, quote, inQuotes, digits] of text.matchAll(ASSIGNED)) {
    const value = inQuotes ?? digits ?? "";
    const ends = quote === undefined ? "(\\d+)" : `${quote}((?:[^${quote}\\\\]|\\\\.)*)`;
    const pattern = `${mark}${literally(name!)}${mark}\\s*${sign}\\s*${ends}`;
    yield {
      value,
      isNamed: false,
      rank: 7,
      locate: at({ in: "source", pattern: mark === "" ? `(?<![\\w$-])${pattern}` : pattern }),
    };
  }
  for (const [, name, value] of text.matchAll(DELTA))
    yield {
      value: value!,
      isNamed: true,
      rank: 1,
      locate: at({ in: "source", pattern: `\\|hiddenField\\|${literally(name!)}\\|([^|]*)\\|` }),
    };
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
