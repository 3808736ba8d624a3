import { foldSpace } from "../extraction/folded-text.ts";
import type { HtmlDocument } from "../extraction/html-document.ts";
import { parseJsonPath, valuesAt } from "../extraction/json/json-path.ts";
import { parsePageJson } from "../extraction/json/page-json.ts";
import { parsePage } from "../extraction/parse-page.ts";
import { compileSelector } from "../extraction/selector.ts";
import type { Page } from "../ports/collector.ts";
import { type Call, headerOf, type Pairs } from "./run.ts";

/** The location of a value in a response. Reading it returns a text, or undefined. */
export type Place =
  | { readonly in: "attr"; readonly css: string; readonly name: string }
  | { readonly in: "text"; readonly css: string }
  | { readonly in: "json"; readonly path: string }
  /** A member of the JSON list entry that has the input: `ref` of the hit whose `parcel` is the requested one. */
  | {
      readonly in: "entry";
      readonly list: string;
      readonly where: string;
      /** Of the input. */
      readonly property: string;
      readonly member: string;
    }
  | { readonly in: "header"; readonly name: string }
  | { readonly in: "cookie"; readonly name: string }
  /** Where the answer came from in the end. */
  | { readonly in: "url" }
  /** The first group of a pattern in the body, for variables of scripts. */
  | { readonly in: "source"; readonly pattern: string };

export interface Location {
  readonly place: Place;
  /** The value is this part of the URL at that location: the whole URL, a segment of its path, or a parameter. */
  readonly part?: "whole" | { readonly segment: number } | { readonly query: string };
}

/** What locations are read from: a page that came over HTTP, or the answer of a recorded call. */
export type Answer = Pick<
  Page,
  "url" | "text" | "mediaType" | "header" | "cookie" | "attr" | "textOf" | "at"
>;

export const readLocation = (
  { place, part }: Location,
  answer: Answer,
  input: unknown,
): string | undefined => {
  const text = readPlace(place, answer, input);
  if (text === undefined || part === undefined) return text;
  const url = URL.parse(text, answer.url);
  if (url === null) return undefined;
  if (part === "whole") return url.href;
  if ("query" in part) return url.searchParams.get(part.query) ?? undefined;
  const segment = url.pathname.split("/")[part.segment];
  return segment === undefined ? undefined : unescaped(segment);
};

const readPlace = (place: Place, answer: Answer, input: unknown): string | undefined => {
  switch (place.in) {
    case "attr":
      return answer.attr(place.css, place.name);
    case "text":
      return answer.textOf(place.css);
    case "json":
      return textOf(answer.at(place.path));
    case "entry": {
      const wanted = textOf(valuesAt(input, parseJsonPath(place.property))[0]);
      const entry = entriesOf(answer.at(place.list)).find((one) => textOf(one[place.where]) === wanted);
      return textOf(entry?.[place.member]);
    }
    case "header":
      return answer.header(place.name);
    case "cookie":
      return answer.cookie(place.name);
    case "url":
      return answer.url;
    case "source":
      return new RegExp(place.pattern).exec(answer.text)?.[1];
    default:
      return place satisfies never;
  }
};

type Entry = Readonly<Record<string, unknown>>;

/** The objects of a list; none if it is not a list. */
export const entriesOf = (list: unknown): readonly Entry[] =>
  Array.isArray(list)
    ? list.filter((one: unknown): one is Entry => typeof one === "object" && one !== null)
    : [];

/** As it is written into a request; undefined if it is not a single value. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;

/** A stray "%" stays as it is. */
export const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

type RecordedParts = Pick<Call, "finalUrl" | "status" | "mediaType" | "text" | "responseHeaders">;

/** The answer of a recorded call, parsed when it is first asked for. */
export class RecordedAnswer implements Answer {
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
  readonly #headers: Pairs;
  #document: HtmlDocument | undefined;
  #json: { readonly value: unknown } | undefined;

  constructor({ finalUrl, status, mediaType, text, responseHeaders }: RecordedParts) {
    this.url = finalUrl;
    this.status = status;
    this.mediaType = mediaType;
    this.text = text;
    this.#headers = responseHeaders;
  }

  get document(): HtmlDocument {
    return (this.#document ??= parsePage(this));
  }

  /** Undefined if it is not JSON. */
  get json(): unknown {
    this.#json ??= this.#parsed();
    return this.#json.value;
  }

  header(name: string): string | undefined {
    return headerOf(this.#headers, name);
  }

  cookie(name: string): string | undefined {
    return setCookies(this.#headers).findLast(([key]) => key === name)?.[1];
  }

  attr(css: string, name: string): string | undefined {
    const element = this.document.first(compileSelector(css));
    return element && this.document.attr(element, name);
  }

  has(css: string): boolean {
    return this.document.first(compileSelector(css)) !== undefined;
  }

  textOf(css: string): string | undefined {
    const element = this.document.first(compileSelector(css));
    return element && foldSpace(this.document.textOf(element));
  }

  at(path: string): unknown {
    return valuesAt(this.json, parseJsonPath(path))[0];
  }

  #parsed(): { readonly value: unknown } {
    if (!/json|javascript|text\/plain/.test(this.mediaType) && !/^\s*[[{]/.test(this.text))
      return { value: undefined };
    try {
      return { value: parsePageJson(this).value };
    } catch {
      return { value: undefined };
    }
  }
}

const answers = new WeakMap<Call, RecordedAnswer>();

export const answerOf = (call: Call): RecordedAnswer => {
  const answer = answers.get(call) ?? new RecordedAnswer(call);
  answers.set(call, answer);
  return answer;
};

/** Names and values of the cookies that an answer sets. */
export const setCookies = (headers: Pairs): Pairs =>
  headers.flatMap(([name, value]) => {
    const [, key, text] = name === "set-cookie" ? (/^\s*([^=;]+)=([^;]*)/.exec(value) ?? []) : [];
    return key === undefined || text === undefined ? [] : [[key.trim(), text.trim()] as const];
  });
