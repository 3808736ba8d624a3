import { decodeHTML } from "entities";
import { historyOf, MOVED_FIELDS, redesignedFacts } from "../detail-page.ts";
import type { FieldName, Listing } from "../listing.ts";
import type { Parcel } from "../parcels.ts";
import type { Layout } from "../routes.ts";
import { MENTION_NOTICE } from "../trouble-pages.ts";
import type { Trouble } from "../troubles.ts";

const TABLES = {
  account: ["parcel", "owner", "situs", "legalClass"],
  values: ["marketValue", "assessedValue"],
  taxes: ["taxYear", "taxRate", "taxDue", "dueDate"],
} as const satisfies Record<string, readonly FieldName[]>;

/** What the script does before it shows the property. */
const FIRST: Partial<Record<Trouble, string>> = {
  loop: "loop",
  dialogs: "dialogs",
  popups: "popups",
  unload: "unload",
};

export interface PropertyView {
  readonly parcel: Parcel;
  readonly listing: Listing;
  readonly trouble: Trouble | undefined;
  readonly layout: Layout;
  readonly popups: number;
}

/** What the script of a detail page gets. Texts are as a person reads them, with `\n` for a new line; a row that is gone has no key. */
export function propertyJson({ parcel, listing, trouble, layout, popups }: PropertyView): string {
  const history = historyOf(parcel);
  if (trouble === "changed" || layout === "all") {
    return JSON.stringify({
      layout: "cards",
      street: parcel.street,
      cards: redesignedFacts(parcel),
      history,
    });
  }
  const first = trouble === undefined ? undefined : FIRST[trouble];
  const { exemptions } = listing;
  return JSON.stringify({
    layout: "tables",
    ...Object.fromEntries(
      Object.entries(TABLES).map(([table, names]) => [
        table,
        Object.fromEntries(names.flatMap(textsIn(listing))),
      ]),
    ),
    ...(exemptions.status === "present" && { exemptions: exemptions.value }),
    ...(layout === "some" && { moved: MOVED_FIELDS }),
    ...(trouble === "mention" && { notice: plain(MENTION_NOTICE) }),
    ...(first !== undefined && { first, popups }),
    bill: `/app/bills/${parcel.id}.pdf`,
    history,
  });
}

const textsIn =
  (listing: Listing) =>
  (name: FieldName): [string, string][] => {
    const shown = listing[name];
    return shown.status === "missing" ? [] : [[name, plain(shown.html)]];
  };

/** The text of the plain variant's markup. */
const plain = (html: string): string =>
  decodeHTML(html.replaceAll(/<br>\s*/g, "\n").replaceAll(/<[^>]+>/g, ""));
