import type { Failure } from "../domain/failure.ts";
import type { JudgedField, JudgedRecord } from "../domain/record.ts";

/** `fixture.json`: what was captured, and from where. Nothing in it changes when the scraper does. */
export interface Fixture {
  readonly scraper: string;
  readonly input: unknown;
  readonly key: string;
  /** ISO 8601. */
  readonly capturedAt: string;
  /** How the item ended when it was captured. */
  readonly outcome: "done" | "failed";
  readonly pages: readonly FixturePage[];
  /** What was taken out because it opens doors, for the reviewer. */
  readonly stripped?: readonly string[];
}

export interface FixturePage {
  readonly name: string;
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  /** Beside `fixture.json`; always UTF-8, whatever the site had. */
  readonly file: string;
}

/** `expected.json`: what extraction has to give on these pages. Reviewed by a person, rewritten by `--update`. */
export interface Expected {
  /** The kind with which extraction fails on these pages, if it has to. */
  readonly failure?: Failure["kind"];
  readonly records: readonly ExpectedRecord[];
  /** Of a scraper that emits: what the pages lead to. */
  readonly emitted?: Emitted;
}

/** Inputs as their scrapers' schemas have them, by the scraper's name; and of those that they refuse, why. */
export interface Emitted {
  readonly inputs: Readonly<Record<string, readonly unknown[]>>;
  readonly rejected?: readonly string[];
}

interface ExpectedRecord {
  readonly from: string;
  readonly quality: JudgedRecord["quality"];
  readonly fields: Readonly<Record<string, ExpectedField>>;
}

/** Status and value are held to; `raw` and `why` are there for the reviewer. */
export type ExpectedField = Pick<JudgedField, "status" | "value" | "raw" | "why">;

/** A case with its pages, as read from its folder. */
export interface FixtureCase {
  readonly name: string;
  readonly folder: string;
  readonly fixture: Fixture;
  /** Undefined while nothing has been expected yet. */
  readonly expected: Expected | undefined;
  /** Why what is expected cannot be read, where there is such a file. */
  readonly problem?: string;
}

export class FixtureError extends Error {
  readonly code = "bad-fixture";
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file}: ${problem}`, options);
    this.name = "FixtureError";
  }
}

/** What is worth keeping of extraction's answer: nothing that changes when a selector is merely written differently. */
export const expectedOf = ({ records, emitted, failure }: FoundOnPages): Expected => ({
  ...(failure && { failure: failure.kind }),
  records: records.map(({ from, quality, fields }) => ({
    from,
    quality,
    fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, expectedField(field)])),
  })),
  ...(emitted && { emitted }),
});

/** What a scraper makes of an item's pages. */
export interface FoundOnPages {
  readonly records: readonly FoundRecord[];
  readonly emitted?: Emitted;
  readonly failure?: Failure;
}

/** A judged record and the page that it was read from, as flow/judge writes it down. */
export interface FoundRecord extends JudgedRecord {
  readonly from: string;
}

const expectedField = ({ status, value, raw, why }: JudgedField): ExpectedField => ({
  status,
  value: value ?? null,
  ...(raw !== undefined && raw !== value && { raw }),
  ...(why !== undefined && { why }),
});
