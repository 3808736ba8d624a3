import { withoutNuls } from "../domain/record.ts";
import type { FieldDefinition, FieldReading, ReadingContext } from "./define-field.ts";
import type { Hit } from "./hit.ts";
import type { QueryLists } from "./query-book.ts";
import { quoted } from "./reading/quoted.ts";
import type { Reading } from "./reading/reading.ts";
import { trimUnseen, withoutUnseen } from "./reading/unseen.ts";
import type { Taken } from "./scan/page-query.ts";
import type { Scope } from "./scope.ts";

const BASE = { css: "base[href]", take: { attribute: "href" }, isMany: false } as const;

const TOO_LONG = "too long: what it finds stands inside of itself too often";

/** Undefined where nothing was found. */
type ReadHits<T> = (hits: readonly Hit[], by: string, scope: Scope) => FieldReading<T> | undefined;

/** Makes the function that reads what a place found as the field's type. It never throws. */
export function hitReader<T>(definition: FieldDefinition<T>, book: QueryLists): ReadHits<T> {
  const { isPlaceholder, taking, kind } = definition;
  const baseSlot = kind === "url" ? book.page.add(BASE) : -1;
  const read = compileReading(definition);
  const keepsJson = taking.jsonAs === "json";
  const seenOf = seenIn(taking.takes[0]);

  return (hits, by, scope) => {
    const [first] = hits;
    if (first === undefined) return undefined;
    const texts: string[] = [];
    let raw: string | undefined;
    let hasObject = false;
    for (const { text: found, json, isBare, isTooLong } of hits) {
      if (isTooLong) return fieldReading(raw ?? "", by, first.at, { problem: TOO_LONG });
      if (found === undefined) continue;
      const text = withoutNuls(found);
      const seen = seenOf(text);
      const isNone = isPlaceholder(seen);
      if (isBare === true && !isNone) continue;
      raw = raw === undefined ? text : `${raw} | ${text}`;
      if (!isNone) texts.push(seen);
      if (typeof json === "object" && json !== null) hasObject = true;
    }
    if (raw === undefined) return undefined;
    const { at } = first;
    const json = withoutNuls(first.json);
    if (texts.length === 0) return fieldReading(raw, by, at, { isEmpty: true });
    if (hasObject && !keepsJson)
      return fieldReading(raw, by, at, { problem: "JSON has an object here: let the path go on to a value" });
    try {
      return fieldReading(
        raw,
        by,
        at,
        read(texts, json, {
          baseUrl: () => scope.view.baseUrl(() => scope.page.matches(baseSlot)[0]?.text),
          isProse: first.isProse === true,
        }),
      );
    } catch (error) {
      return fieldReading(raw, by, at, { problem: `its own code failed: ${reasonOf(error)}` });
    }
  };
}

/** Source is kept to the letter. */
const seenIn = (take: Taken | undefined): ((text: string) => string) =>
  take === "text" ? withoutUnseen : take === "raw" || take === "html" ? (text) => text : trimUnseen;

function compileReading<T>({
  options,
  isPlaceholder,
  readTexts,
  readJson,
}: FieldDefinition<T>): (texts: readonly string[], json: unknown, context: ReadingContext) => Reading<T> {
  const { transform, check } = options;
  const pattern = options.pattern === undefined ? undefined : withoutMemory(options.pattern);

  return (texts, json, context) => {
    let values = texts;
    // Placeholders come first, so that a transform need not know them, and again for what the transform made.
    if (transform !== undefined) {
      values = texts.map(transform).filter((text) => !isPlaceholder(asText(text)));
      if (values.length === 0) return { isEmpty: true };
    }
    const odd = pattern === undefined ? undefined : values.find((text) => !pattern.test(text));
    if (odd !== undefined) return { problem: `${quoted(odd)} does not match ${String(pattern)}` };
    const direct = json === undefined || transform !== undefined ? undefined : readJson?.(json);
    const reading = direct ?? readTexts(values, context);
    if (check === undefined || !("value" in reading)) return reading;
    const verdict: unknown = check(reading.value);
    return verdict === true
      ? reading
      : { problem: typeof verdict === "string" ? verdict : "its check did not say true" };
  };
}

function fieldReading<T>(
  raw: string,
  by: string,
  at: number | undefined,
  reading: Reading<T>,
): FieldReading<T> {
  const found = at === undefined ? { raw, by } : { raw, by, at };
  // A field's own `transform` may have put one in.
  if ("value" in reading) return { ...found, isEmpty: false, value: withoutNuls(reading.value) };
  if ("problem" in reading) return { ...found, isEmpty: false, value: null, problem: reading.problem };
  return { ...found, isEmpty: true, value: null };
}

function asText(text: unknown): string {
  if (typeof text !== "string")
    throw new TypeError(`transform gave ${text === null ? "null" : typeof text}, not a text`);
  return text;
}

/** A `g` or `y` pattern remembers where it stopped, and would judge the same text differently the next time. */
const withoutMemory = (pattern: RegExp): RegExp =>
  new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));

function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "something was thrown that cannot be shown";
  }
}
