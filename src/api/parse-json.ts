import type { Api } from "./api.ts";
import { Problem } from "../services/problem.ts";

const MOST_LEVELS = 64;
/** Members and elements in all: some dozens for each input of the largest job. */
const MOST_VALUES = 500_000;

/** JSON bodies, looked through before they are parsed: a few bytes could else become very many objects, or no stack would reach to their bottom. */
export const addJsonParser = (app: Api): void => {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    try {
      checkJson(body as Buffer);
      void parse(request, (body as Buffer).toString(), done);
    } catch (error) {
      done(error as Error);
    }
  });
};

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

/** Throws for JSON that is too deep, or has too many values. Whether it is JSON at all is left to the parser. */
export const checkJson = (bytes: Buffer): void => {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = closingQuote(bytes, at + 1);
      if (at < 0) return;
    } else if (byte === COMMA) values++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth++;
      values++;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    if (depth > MOST_LEVELS)
      throw new Problem("invalid-request", `The body's JSON has more than ${MOST_LEVELS} levels.`);
    if (values > MOST_VALUES)
      throw new Problem(
        "too-large",
        `The body's JSON has more than ${MOST_VALUES} values. Stream the inputs into the job instead.`,
      );
  }
};

/** -1 where there is none. */
const closingQuote = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(QUOTE!, from); at >= 0; at = bytes.indexOf(QUOTE!, at + 1)) {
    let first = at;
    while (first > from && bytes[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
};
