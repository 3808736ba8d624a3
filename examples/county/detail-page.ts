import { draw } from "./draw.ts";
import { framed } from "./frame.ts";
import { dollars, type FieldName, type Listing, type Shown } from "./listing.ts";
import { type Parcel, TAX_YEAR } from "./parcels.ts";

/** The fields that a half-changed layout shows under other names. */
export const MOVED_FIELDS: readonly FieldName[] = ["marketValue", "assessedValue", "taxDue"];

export interface DetailOptions {
  readonly notice?: string;
  readonly isHalfChanged?: boolean;
}

export function detailPage(parcel: Parcel, listing: Listing, options: DetailOptions = {}): string {
  const row = (label: string, place: string, field: FieldName) =>
    options.isHalfChanged && MOVED_FIELDS.includes(field)
      ? tableRow(label, 'class="val v2-amount"', listing[field])
      : tableRow(label, place, listing[field]);
  return framed(
    `Parcel ${parcel.id}`,
    `<h2>Property Tax Account</h2>${options.notice ?? ""}
<form name="aspnetForm" method="post" action="./detail.aspx?parcel=${parcel.id}" id="aspnetForm">
<input type="hidden" name="__EVENTTARGET" value="" /><input type="hidden" name="__EVENTARGUMENT" value="" />
<table class="outer" border="0" cellspacing="0" cellpadding="0"><tr><td>
  <table id="account" class="detail" summary="Account" width="100%"><tbody>${
    row("Parcel Number", 'id="lblParcel"', "parcel") +
    row("Owner&nbsp;Name", 'class="val owner"', "owner") +
    row("Situs Address", 'class="val situs"', "situs") +
    row("Legal Class", 'class="val legal-class"', "legalClass")
  }
  </tbody></table></td></tr><tr><td>
  <table class="panel" width="100%"><tr><td valign="top">
    <table id="values" class="detail" summary="Values"><tbody>${
      row("Market&nbsp;Value", 'id="market" class="val num"', "marketValue") +
      row("Assessed&nbsp;Value", 'id="assessed" class="val num"', "assessedValue")
    }
    </tbody></table></td><td valign="top">
    <table id="taxes" class="detail" summary="Taxes"><tbody>${
      row("Tax Year", 'id="taxyear" class="val"', "taxYear") +
      row("Total Tax Rate", 'class="val num rate"', "taxRate") +
      row("Total Tax Due", 'id="taxdue" class="val num"', "taxDue") +
      row("Delinquent After", 'class="val due-date"', "dueDate")
    }
    </tbody></table></td></tr></table>${exemptionList(listing.exemptions)}
  </td></tr></table>
<p class="links"><a class="bill-pdf" href="../bills/${parcel.id}.pdf" target="_blank">Print ${TAX_YEAR} tax bill (PDF)</a>&nbsp;|&nbsp;<a href="#" onclick="return printBill()">Print this page</a></p>
</form>
${historyTable(parcel)}`,
  );
}

/** The same property after a redesign: everything is there for a person, nothing is where it was. No bill link either. */
export function redesignedDetailPage(parcel: Parcel): string {
  return framed(
    "Your property",
    `<section class="property-hero"><h2>${parcel.street}</h2></section><div class="cards">
${redesignedFacts(parcel).map(card).join("")}</div>
${historyTable(parcel)}`,
  );
}

/** What the redesigned page says of a property: label and text. */
export const redesignedFacts = (parcel: Parcel): (readonly [string, string])[] => [
  ["Account", parcel.id],
  ["Place", parcel.city],
  ["Market", dollars(parcel.marketValue * 100)],
  ["Assessed", dollars(parcel.assessedValue * 100)],
  ["Amount", dollars(parcel.taxDueCents)],
];

const card = ([label, text]: readonly [string, string]) =>
  `<div class="card"><span class="card__label">${label}</span><span class="card__text">${text}</span></div>\n`;

function tableRow(label: string, place: string, shown: Shown): string {
  return shown.status === "missing"
    ? ""
    : `
      <tr class="detail-row"><td class="lbl" nowrap="nowrap"><span class="label">${label}:</span></td><td ${place}>${shown.html}</td></tr>`;
}

const exemptionList = (shown: Shown): string =>
  shown.status === "missing" ? "" : `<h4>Exemptions</h4><ul class="exemptions">${shown.html}</ul>`;

const HISTORY_YEARS = 12;

interface HistoryRow {
  readonly year: number;
  readonly billed: string;
  readonly paidOn: string;
}

export const historyOf = (parcel: Parcel): HistoryRow[] =>
  Array.from({ length: HISTORY_YEARS }, (_, index) => {
    const back = index + 1;
    const year = TAX_YEAR - back;
    const billed = dollars(Math.round(parcel.taxDueCents * (1 - back * 0.03)));
    return { year, billed, paidOn: `01/${10 + (draw(parcel.n, back, 1) % 18)}/${year + 1}` };
  });

function historyTable(parcel: Parcel): string {
  const rows = historyOf(parcel).map(
    ({ year, billed, paidOn }, index) => `
  <tr class="${index % 2 === 1 ? "alt" : "row"}"><td class="yr"><a href="/property/history.aspx?parcel=${parcel.id}&amp;year=${year}" title="View ${year} statement">${year}</a></td><td class="num">${billed}</td><td class="num">${billed}</td><td class="dt">${paidOn}</td><td class="st"><img src="/images/ok.gif" width="12" height="12" alt="" />&nbsp;PAID</td></tr>`,
  );
  return `<h3>Payment History</h3>
<table id="history" class="grid" border="1" cellpadding="3" width="100%"><thead><tr><th>Year</th><th>Billed</th><th>Paid</th><th>Date</th><th>Status</th></tr></thead><tbody>${rows.join("")}
</tbody></table>`;
}
