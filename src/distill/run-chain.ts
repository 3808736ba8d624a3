import { AbsentError, FailureError } from "../domain/failure.ts";
import { parseJsonPath, valuesAt, type JsonPath } from "../extraction/json/json-path.ts";
import { isDeepStrictEqual } from "node:util";
import type { Http, Page, RequestBody, RequestOptions } from "../ports/collector.ts";
import { need } from "../scrapers/scraper.ts";
import type { AbsentSign, ChainStep, Source, Template, TemplatePart } from "./chain.ts";
import { encode } from "./encodings.ts";
import { readLocation, textOf } from "./location.ts";
import { locationText } from "./explain-chain.ts";
import { urlText } from "./request-parts.ts";

export interface ChainRun {
  readonly input: unknown;
  readonly http: Http;
  /** Called with each response, also with one that says `absent`. */
  readonly onPage?: (step: number, page: Page) => void;
  /** Statuses that are answers, not failures, in every step. */
  readonly accept?: readonly number[];
}

/** Sends the requests of a chain and returns the responses. Throws `AbsentError` at a sign of it, and `FailureError` if a value is not found. */
export const runChain = async (steps: readonly ChainStep[], run: ChainRun): Promise<readonly Page[]> => {
  const pages: Page[] = [];
  for (const [at, step] of steps.entries()) {
    const page = await send(step, run, pages);
    pages.push(page);
    run.onPage?.(at, page);
    if (step.absent && hasSign(step.absent, page)) throw new AbsentError(undefined);
  }
  return pages;
};

/** Whether a response says that the input does not exist. */
export const hasSign = (sign: AbsentSign, page: Pick<Page, "status" | "at" | "has" | "text">): boolean => {
  switch (sign.by) {
    case "status":
      return page.status === sign.status;
    case "json":
      return isDeepStrictEqual(page.at(sign.path), sign.value);
    case "element":
      return page.has(sign.css);
    case "text":
      return page.text.includes(sign.text);
    default:
      return sign satisfies never;
  }
};

const send = async (
  step: ChainStep,
  { input, http, accept = [] }: ChainRun,
  pages: readonly Page[],
): Promise<Page> => {
  const fill = (template: Template): string => template.map((one) => filled(one, input, pages)).join("");
  const encoded = (template: Template): string =>
    template
      .map((one) => (typeof one === "string" ? urlText(one) : encodeURIComponent(filled(one, input, pages))))
      .join("");
  const url = step.link === undefined ? madeUrl(step, encoded) : filled(step.link, input, pages);
  const headers = Object.fromEntries(of(step, "header").map(({ name, template }) => [name, fill(template)]));
  const statuses = [...accept, ...(step.absent?.by === "status" ? [step.absent.status] : [])];
  const options: RequestOptions = { headers, accept: statuses };
  return step.method === "GET" ? http.get(url, options) : http.post(url, bodyOf(step, fill), options);
};

const of = ({ parts }: ChainStep, place: TemplatePart["in"]): TemplatePart[] =>
  parts.filter((part) => part.in === place);

const filled = (one: string | Source, input: unknown, pages: readonly Page[]): string => {
  if (typeof one === "string") return one;
  if (one.from === "clock") return String(Math.floor(Date.now() / (one.unit === "ms" ? 1 : 1000)));
  const text =
    one.from === "input"
      ? textOf(valuesAt(input, parseJsonPath(one.property))[0])
      : readLocation(one.location, pages[one.step]!, input);
  const name = one.from === "input" ? `the input's ${one.property}` : locationText(one.location);
  const encoded = encode(one.encoding, need(text, name));
  if (encoded === undefined)
    throw new FailureError({ kind: "navigation", detail: `${name} cannot be encoded` });
  return encoded;
};

const madeUrl = (step: ChainStep, encoded: (template: Template) => string): string => {
  const path = of(step, "path").map(({ template }) => encoded(template));
  const query = of(step, "query").map(({ name, template }) => `${urlText(name)}=${encoded(template)}`);
  return `${step.origin}/${path.join("/")}${query.length === 0 ? "" : `?${query.join("&")}`}`;
};

const bodyOf = (step: ChainStep, fill: (template: Template) => string): RequestBody => {
  switch (step.bodyKind) {
    case undefined:
      return { bytes: new Uint8Array(), mediaType: "text/plain" };
    case "text": {
      const text = of(step, "body")
        .map(({ template }) => fill(template))
        .join("");
      return { bytes: Buffer.from(text), mediaType: step.mediaType ?? "text/plain" };
    }
    case "form": {
      const form: Record<string, string[]> = {};
      for (const { name, template } of of(step, "form")) (form[name] ??= []).push(fill(template));
      return { form };
    }
    case "json": {
      const json = structuredClone({ root: step.json });
      for (const { name, template } of of(step, "json"))
        if (template.some((one) => typeof one !== "string"))
          setAt(json, ["root", ...parseJsonPath(name)], fill(template));
      for (const path of step.omitted ?? []) deleteAt(json, ["root", ...parseJsonPath(path)]);
      return { json: json.root };
    }
    default:
      return step.bodyKind satisfies never;
  }
};

type Container = Record<string | number, unknown>;

const containerOf = (root: object, path: JsonPath): Container => {
  let inside = root as Container;
  for (const step of path.slice(0, -1)) inside = inside[step] as Container;
  return inside;
};

/** A number stays a number. */
const setAt = (root: object, path: JsonPath, text: string): void => {
  const [inside, last] = [containerOf(root, path), path.at(-1)!];
  inside[last] = typeof inside[last] === "number" ? Number(text) : text;
};

const deleteAt = (root: object, path: JsonPath): void => {
  Reflect.deleteProperty(containerOf(root, path), path.at(-1)!);
};
