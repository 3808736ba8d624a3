import type { EncodingName } from "./encodings.ts";
import type { Location } from "./location.ts";
import type { BodyKind, PartId } from "./request-parts.ts";

/** Where a changing part of a request comes from. */
export type Source =
  | { readonly from: "input"; readonly property: string; readonly encoding: EncodingName }
  /** An answer of an earlier step. */
  | {
      readonly from: "step";
      readonly step: number;
      readonly location: Location;
      readonly encoding: EncodingName;
    }
  /** The time of the request. */
  | { readonly from: "clock"; readonly unit: "ms" | "s" };

/** Texts and sources, one after the other: constant if it has only a text. */
export type Template = readonly (string | Source)[];

export interface TemplatePart extends PartId {
  readonly template: Template;
}

/** One plain request. */
export interface ChainStep {
  /** Of its variable in the written scraper: `search`, `detail`. */
  readonly name: string;
  /** Its place among the calls of the first run, from 1: what people see in messages. */
  readonly call: number;
  readonly method: "GET" | "POST";
  readonly origin: string;
  /** For people: segments that change are `…`. */
  readonly path: string;
  /** The whole URL comes from an earlier response: no part of it is built. */
  readonly link?: Source;
  /** In the order of the request. */
  readonly parts: readonly TemplatePart[];
  readonly bodyKind: BodyKind | undefined;
  readonly mediaType?: string;
  readonly json?: unknown;
  /** Paths of it that are not sent. */
  readonly omitted?: readonly string[];
  /** The name under which its answer is kept: fields are read from it. */
  readonly keeps?: string;
  /** Why it is part of the chain. */
  readonly reason: "fields" | "values" | "cookies" | "state";
  /** Cookies that later steps send. */
  readonly cookies: readonly string[];
  /** How the site says that the input does not exist. */
  readonly absent?: AbsentSign;
}

export type AbsentSign =
  | { readonly by: "status"; readonly status: number }
  /** The value at a path of JSON, which nothing that exists has there. */
  | { readonly by: "json"; readonly path: string; readonly value: unknown }
  | { readonly by: "element"; readonly css: string }
  | { readonly by: "text"; readonly text: string };

/** Where the fields are read from. */
export type FieldSource =
  /** The scraper's own `extract`, on one answer. */
  | { readonly by: "extract" }
  /** Paths in the JSON of the answers that are kept. */
  | {
      readonly by: "json";
      /** Names of the kept answers. */
      readonly pages: readonly string[];
      readonly each?: string;
      readonly fields: readonly FieldPath[];
    };

export interface FieldPath {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
  readonly isOptional: boolean;
  /** As source code; empty for none. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Of a list of objects. */
  readonly rows?: readonly FieldPath[];
  /** Options that are functions are not carried over. */
  readonly lost: readonly string[];
}

/** A file that the browser kept, whose URL is in a response. It is kept if the URL is there. */
export interface ChainFile {
  readonly name: string;
  readonly step: number;
  readonly location: Location;
}

/** Requests, in order, whose answers hold the fields. Plain data. */
export interface Chain {
  readonly steps: readonly ChainStep[];
  readonly fields: FieldSource;
  readonly files?: readonly ChainFile[];
  /** Calls of the first run that are not needed, and parts that the site does not need, in words. */
  readonly dropped: readonly string[];
}
