import { draw, pick } from "./draw.ts";
import type { Parcel } from "./parcels.ts";
import type { Trouble } from "./troubles.ts";

/** The fields of a detail page. All but `exemptions` are on every healthy page. */
export const REQUIRED_FIELDS = [
  "parcel",
  "owner",
  "situs",
  "marketValue",
  "assessedValue",
  "taxRate",
  "taxDue",
  "taxYear",
  "dueDate",
  "legalClass",
] as const;
type RequiredField = (typeof REQUIRED_FIELDS)[number];
export type FieldName = RequiredField | "exemptions";

/** What the page shows in one place: the markup, and what a careful reader must make of it. */
export type Shown =
  | { readonly status: "present"; readonly html: string; readonly value: string | number | readonly string[] }
  | { readonly status: "empty" | "malformed"; readonly html: string }
  | { readonly status: "missing" };

/** Page and truth are both made from this, so they cannot disagree. */
export type Listing = Record<FieldName, Shown>;

export function listingOf(seed: number, parcel: Parcel, trouble: Trouble | undefined): Listing {
  const listing: Listing = {
    parcel: present(parcel.id, parcel.id),
    owner: present(escapeHtml(parcel.owner).replace(", ", ",&nbsp;"), parcel.owner),
    situs: present(`${parcel.street}<br>\n${parcel.city}`, `${parcel.street} ${parcel.city}`),
    marketValue: present(`$${withCommas(parcel.marketValue)}`, parcel.marketValue),
    assessedValue: present(`$${withCommas(parcel.assessedValue)}&nbsp;`, parcel.assessedValue),
    taxRate: present(`${(parcel.taxRateE4 / 10_000).toFixed(4)}%`, parcel.taxRateE4 / 10_000),
    taxDue: present(dollars(parcel.taxDueCents), parcel.taxDueCents / 100),
    taxYear: present(String(parcel.taxYear), parcel.taxYear),
    dueDate: present(usDate(parcel.dueDate), parcel.dueDate),
    legalClass: present(escapeHtml(parcel.legalClass), parcel.legalClass),
    exemptions:
      parcel.exemptions.length === 0
        ? { status: "missing" }
        : present(
            parcel.exemptions.map((one) => `<li class="exemption">${one}</li>`).join(""),
            parcel.exemptions,
          ),
  };
  const drawn = draw(seed, parcel.n, SALT);
  if (trouble === "rows-gone") {
    for (const name of pick(ROWS_GONE, drawn)) listing[name] = { status: "missing" };
  } else if (trouble === "placeholder") {
    for (const name of pick(EMPTIED, drawn)) {
      listing[name] = { status: "empty", html: pick(PLACEHOLDERS, drawn >>> 8) };
    }
  } else if (trouble === "malformed") {
    const [name, html] = pick(MALFORMED, drawn);
    listing[name] = { status: "malformed", html };
  }
  return listing;
}

const SALT = 2000;
const ROWS_GONE = [["marketValue"], ["owner", "situs"], ["taxRate", "dueDate", "legalClass"]] as const;
const EMPTIED = [
  ["situs"],
  ["marketValue", "assessedValue"],
  ["dueDate"],
  ["legalClass"],
  ["taxRate"],
] as const;
const PLACEHOLDERS = ["--", "N/A", "&nbsp;", ""] as const;
const MALFORMED = [
  ["marketValue", "12,3x4"],
  ["taxRate", "2.18.53%"],
  ["taxDue", "$4,5I2.37"],
] as const;

const present = (html: string, value: string | number | readonly string[]): Shown => ({
  status: "present",
  html,
  value,
});

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("'", "&#39;");

const withCommas = (whole: number): string => {
  const digits = String(whole);
  return digits.length <= 3 ? digits : `${withCommas(Math.floor(whole / 1000))},${digits.slice(-3)}`;
};

export const dollars = (cents: number): string =>
  `$${withCommas(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, "0")}`;

export const usDate = (iso: string): string => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`;
