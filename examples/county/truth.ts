import { closeSync, openSync, writeSync } from "node:fs";
import { listingOf, REQUIRED_FIELDS, type Shown } from "./listing.ts";
import { parcelId, parcelOf } from "./parcels.ts";
import { type Answer, answerFor, assignTroubles, type Shares, type Trouble } from "./troubles.ts";

/** What has to be reported for one parcel in the end, however often the scraper was killed on the way. */
export type Truth = { readonly parcel: string; readonly trouble: Trouble | "none" } & (
  | {
      readonly state: "done";
      readonly quality: "complete" | "partial";
      readonly fields: Readonly<Record<string, Shown["status"]>>;
      readonly values: Readonly<Record<string, string | number | readonly string[]>>;
    }
  | { readonly state: "absent" }
  | { readonly state: "failed"; readonly kind: FailedKind }
);

type FailedKind = Exclude<Answer, "done" | "absent">;

export interface Population {
  readonly seed: number;
  readonly parcels: number;
  readonly troubles: Shares;
  /** As a visitor of the scripted variant sees it. */
  readonly scripted?: boolean;
}

/** The answer for each parcel of the county. It knows nothing of `changeLayout`, whose moment no file can foretell. */
export function* truthOf({ seed, parcels, troubles, scripted = false }: Population): Generator<Truth> {
  const troubleOf = assignTroubles(seed, troubles);
  for (let n = 0; n < parcels; n++) {
    const trouble = troubleOf(n);
    yield truthOfParcel(seed, n, trouble, answerFor(trouble, scripted));
  }
}

/** Writes one JSON line per parcel. */
export function writeTruth(file: string, population: Population): void {
  const handle = openSync(file, "w");
  try {
    let lines = "";
    for (const truth of truthOf(population)) {
      lines += `${JSON.stringify(truth)}\n`;
      if (lines.length > 1_000_000) {
        writeSync(handle, lines);
        lines = "";
      }
    }
    writeSync(handle, lines);
  } finally {
    closeSync(handle);
  }
}

function truthOfParcel(seed: number, n: number, trouble: Trouble | undefined, answer: Answer): Truth {
  const head = { parcel: parcelId(seed, n), trouble: trouble ?? "none" } as const;
  if (answer === "absent") return { ...head, state: "absent" };
  if (answer !== "done") return { ...head, state: "failed", kind: answer };
  const listing = listingOf(seed, parcelOf(seed, n), trouble);
  const shown = Object.entries(listing);
  return {
    ...head,
    state: "done",
    quality: REQUIRED_FIELDS.some((name) => isUnread(listing[name])) ? "partial" : "complete",
    fields: Object.fromEntries(shown.map(([name, { status }]) => [name, status])),
    values: Object.fromEntries(
      shown.flatMap(([name, field]) => (field.status === "present" ? [[name, field.value]] : [])),
    ),
  };
}

/** A value that the page may have and nobody can tell; an empty field is an answer. */
const isUnread = ({ status }: Shown): boolean => status === "missing" || status === "malformed";
