import { parcelId, parcelNumber } from "../parcels.ts";

// Another walk through the same numbers: a reference cannot be guessed from its parcel, only looked up.
const walkOf = (seed: number): number => seed ^ 0x5bd1e995;

/** What the API calls a parcel. It has a slash, a space and a plus, as references of old registers do. */
export const referenceOf = (seed: number, n: number): string => {
  const digits = parcelId(walkOf(seed), n);
  return `WC/${digits.slice(0, 4)} ${digits.slice(4)}+R`;
};

/** The parcel with this reference, also beyond the county's last one; undefined if it is no reference. */
export const numberOfReference = (seed: number, reference: string): number | undefined => {
  const [, head, tail] = /^WC\/(\d{4}) (\d{6})\+R$/.exec(reference) ?? [];
  return head === undefined ? undefined : parcelNumber(walkOf(seed), `${head}${tail}`);
};
