import { draw, pick } from "./draw.ts";

/** What the county truly knows of one property, before any trouble on the way to the page. */
export interface Parcel {
  readonly n: number;
  /** Ten digits, leading zeros included. */
  readonly id: string;
  readonly owner: string;
  readonly street: string;
  readonly city: string;
  /** Whole dollars. */
  readonly marketValue: number;
  readonly assessedValue: number;
  /** Hundredths of a basis point: 21853 is 2.1853 %. */
  readonly taxRateE4: number;
  readonly taxDueCents: number;
  readonly taxYear: number;
  /** ISO date. */
  readonly dueDate: string;
  readonly legalClass: string;
  readonly exemptions: readonly string[];
}

export const TAX_YEAR = 2026;
export const DEFAULT_SEED = 8700;
export const DEFAULT_PARCELS = 2000;

// Ids are an affine walk through all ten-digit numbers: unique, scattered, and turned back into n without a table.
const IDS = 10_000_000_000n;
const STEP = 6_180_339_887n;
const STEP_INVERSE = inverse(STEP, IDS);

export const parcelId = (seed: number, n: number): string =>
  ((BigInt(n) * STEP + offset(seed)) % IDS).toString().padStart(10, "0");

/** The n whose id this is; any ten digits are the id of some n, most of them beyond the county's last parcel. */
export const parcelNumber = (seed: number, id: string): number =>
  Number(((BigInt(id) - offset(seed) + IDS) * STEP_INVERSE) % IDS);

export function parcelOf(seed: number, n: number): Parcel {
  const roll = (salt: number) => draw(seed, n, salt);
  const marketValue = 40_000 + (roll(1) % 96_000) * 10;
  const assessedValue = marketValue - (roll(2) % Math.floor(marketValue / 4));
  const taxRateE4 = 10_500 + (roll(3) % 16_000);
  return {
    n,
    id: parcelId(seed, n),
    owner: ownerName(roll(4), roll(5)),
    street: `${100 + (roll(6) % 9800)} ${pick(STREETS, roll(7))}`,
    city: pick(CITIES, roll(8)),
    marketValue,
    assessedValue,
    taxRateE4,
    taxDueCents: Math.round((assessedValue * taxRateE4) / 10_000),
    taxYear: TAX_YEAR,
    dueDate: pick(DUE_DATES, roll(9)),
    legalClass: pick(LEGAL_CLASSES, roll(10)),
    exemptions: EXEMPTIONS.filter((_, bit) => ((roll(11) >>> (2 * bit)) & 3) === 0),
  };
}

function ownerName(a: number, b: number): string {
  const last = pick(LAST_NAMES, a);
  switch (b % 5) {
    case 0:
      return `${last} ${pick(FIRST_NAMES, a >>> 8)} & ${pick(FIRST_NAMES, b >>> 8)}`;
    case 1:
      return `${last} FAMILY TRUST`;
    case 2:
      return `${last} & SONS <TX> LLC`;
    default:
      return `${last}, ${pick(FIRST_NAMES, a >>> 8)}`;
  }
}

const offset = (seed: number): bigint => BigInt(draw(seed, 0, 0));

function inverse(a: bigint, modulus: bigint): bigint {
  let [r0, r1, t0, t1] = [modulus, a, 0n, 1n];
  while (r1 > 0n) {
    const q = r0 / r1;
    [r0, r1, t0, t1] = [r1, r0 - q * r1, t1, t0 - q * t1];
  }
  return (t0 + modulus) % modulus;
}

const FIRST_NAMES = [
  "JOHN",
  "MARÍA",
  "WEI",
  "AISHA",
  "DESHAWN",
  "ZOË",
  "PRIYA",
  "LARS",
  "RUTH",
  "TOMÁS",
] as const;
const LAST_NAMES = [
  "SMITH",
  "PEÑA",
  "O'BRIEN",
  "NGUYEN",
  "D'ANGELO",
  "MÜLLER",
  "OKAFOR",
  "GARCIA-LOPEZ",
  "CHEN",
  "VAN DER BERG",
] as const;
const STREETS = [
  "N MAIN ST",
  "PECAN GROVE LN",
  "COUNTY ROAD 12",
  "E 4TH ST",
  "LAKEVIEW DR",
  "RANCH ROAD 620 S",
] as const;
const CITIES = ["WILLOW BEND TX 78701", "CEDAR FORD TX 78645", "SAN BLAS TX 78617"] as const;
// No day below 13: the date reads the same whichever of day and month comes first.
const DUE_DATES = ["2027-01-31", "2026-11-30", "2027-06-30", "2026-10-15"] as const;
const LEGAL_CLASSES = [
  "A1 - SINGLE FAMILY RESIDENCE",
  "A2 - MOBILE HOME & LAND",
  "B1 - MULTIFAMILY (5+ UNITS)",
  "C1 - VACANT LOT",
  "F1 - COMMERCIAL REAL PROPERTY",
] as const;
const EXEMPTIONS = ["HS - Homestead", "OV65 - Over 65", "DV - Disabled veteran"] as const;
