import type { Dispatcher } from "undici";
import type { Headers, WireHead } from "./wire.ts";

type RawHeaders = Dispatcher.DispatchController["rawHeaders"];

/** The head of a response from undici's raw form: a flat list for HTTP/1.1, an object for HTTP/2. */
export class ResponseHead implements WireHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;

  constructor(status: number, statusText: string | undefined, raw: RawHeaders) {
    this.status = status;
    this.statusText = statusText ?? "";
    this.headers = Array.isArray(raw) ? pairsOfList(raw) : pairsOfObject(raw ?? {});
  }

  header(name: string): string | undefined {
    for (const [key, value] of this.headers) {
      if (key.length === name.length && key.toLowerCase() === name) return value;
    }
    return undefined;
  }
}

const latin1 = (part: Buffer | string): string => (typeof part === "string" ? part : part.toString("latin1"));

const pairsOfList = (raw: readonly (Buffer | string)[]): Headers => {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    pairs.push([latin1(raw[index]!), latin1(raw[index + 1]!)]);
  }
  return pairs;
};

const pairsOfObject = (raw: Readonly<Record<string, string | string[] | undefined>>): Headers =>
  Object.entries(raw).flatMap(([name, value]) =>
    // HTTP/2 pseudo headers such as `:status` are not headers.
    name.startsWith(":") || value === undefined
      ? []
      : [value].flat().map((one): [string, string] => [name, one]),
  );
