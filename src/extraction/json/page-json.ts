import type { KeptPage } from "../../domain/capture.ts";
import { FailureError } from "../../domain/failure.ts";
import { quoted } from "../reading/reading.ts";
import type { JsonRoot } from "./json-source.ts";
import { DEEPEST, isTooDeep, parseJson } from "./json-text.ts";

/** Guards that keep other sites from loading the JSON as a script. */
const GUARD = /^[\s\uFEFF]*(?:\)\]\}'?,?|while\s?\(1\);|for\s?\(;;\);|\{\}&&)?\s*/;
/** JSONP: `callback({…});` */
const CALL = /^(?:\/\*\*\/)?\s*[\w$.]+\s*\(\s*/;
const CALL_END = /\s*\)\s*;?\s*$/;
const LINES_TYPE = /ndjson|jsonl|json-seq/;

type Page = Pick<KeptPage, "mediaType" | "text"> & Partial<KeptPage>;

/**
 * A page as JSON, parsed strictly: truncated JSON must not look like a shorter list. A guard and a JSONP callback are removed; JSON lines
 * become a list. Throws `FailureError` with `bad-content` if it is not JSON.
 */
export function parsePageJson(page: Page): JsonRoot {
  const root = readRoot(page);
  if (isTooDeep(root.value)) throw notJson(page, `it is nested deeper than ${DEEPEST}`);
  return root;
}

function readRoot(page: Page): JsonRoot {
  const { text, mediaType } = page;
  let at = GUARD.exec(text)?.[0].length ?? 0;
  if (LINES_TYPE.test(mediaType)) return { value: readLines(page), at: undefined };
  const call = CALL.exec(text.slice(at, at + 200));
  let end = text.length;
  if (call !== null && CALL_END.test(text.slice(-20))) {
    at += call[0].length;
    end -= CALL_END.exec(text.slice(-20))?.[0].length ?? 0;
  }
  try {
    return { value: parseJson(text.slice(at, end)), at, places: new JsonPlaces(text) };
  } catch (error) {
    throw notJson(page, error instanceof Error ? error.message : String(error));
  }
}

function readLines(page: Page): unknown[] {
  return page.text.split("\n").flatMap((line, index) => {
    // Starts a record of `application/json-seq`.
    const bare = line.replace("\u001E", "").trim();
    if (bare === "") return [];
    try {
      return [parseJson(bare)];
    } catch {
      throw notJson(page, `line ${index + 1} is ${quoted(bare)}`);
    }
  });
}

const notJson = ({ mediaType, url, status }: Page, why: string): FailureError =>
  new FailureError({
    kind: "bad-content",
    detail: `the page${mediaType === "" ? "" : ` (${mediaType})`} is not JSON: ${why}`,
    ...(url !== undefined && { url }),
    ...(status !== undefined && { status }),
  });

const TOKEN = /"(?:[^"\\]+|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/** Where the members of objects and entries of lists begin in a JSON text. Only what is asked for is scanned. */
export class JsonPlaces {
  readonly #text: string;
  readonly #known = new WeakMap<object, ReadonlyMap<string | number, number>>();

  constructor(text: string) {
    this.#text = text;
  }

  /** `at` is where the object or list itself begins. */
  offsetOf(container: object, key: string | number, at: number): number | undefined {
    let members = this.#known.get(container);
    if (members === undefined) this.#known.set(container, (members = membersAt(this.#text, at)));
    return members.get(key);
  }
}

/** The text is valid JSON: brackets are balanced and strings end. */
function membersAt(text: string, at: number): ReadonlyMap<string | number, number> {
  const found = new Map<string | number, number>();
  const isList = text[at] === "[";
  let key: string | number = 0;
  let isValue = isList;
  let depth = 0;
  TOKEN.lastIndex = at + 1;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    if (depth === 0) {
      if (token === "]" || token === "}") break;
      if (token === ",") {
        if (isList) key = Number(key) + 1;
        isValue = isList;
        continue;
      }
      if (token === ":") isValue = true;
      else if (isValue) {
        found.set(key, match.index);
        isValue = false;
      } else key = String(JSON.parse(token));
    }
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
  }
  return found;
}
