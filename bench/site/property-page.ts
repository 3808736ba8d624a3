const OWNERS = [
  "ALVAREZ ROSA",
  "BAKER & DAUGHTERS LLC",
  "CHO MIN-JUN",
  "D'AMICO PAOLA",
  "EKDAHL ÅSA",
  "FARAH OMAR",
];
const STREETS = ["ELM ST", "W 7TH AVE", "COUNTY RD 114", "HARBOR VIEW DR", "MILL POND LN"];
const FIRST_PAYMENT = 2015;
const TAX_YEAR = 2026;

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#39;");

const dollars = (amount: number): string =>
  `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

const pick = (from: readonly string[], n: number): string => from[n % from.length]!;

export const parcelId = (n: number): string =>
  `${100 + (n % 900)}-${String(n).padStart(6, "0")}-${String((n * 31) % 100).padStart(2, "0")}`;

const factRow = (label: string, id: string, value: string): string => `
                <tr class="row"><td class="label" width="200" nowrap="nowrap" valign="top"><span class="caption">${label}:</span></td>
                  <td class="value" align="left" valign="top"><span id="ctl00_body_lbl${id}" class="text">${escape(value)}</span></td></tr>`;

const factTable = (
  id: string,
  title: string,
  rows: readonly (readonly [string, string, string])[],
): string => `
            <tr><td class="cell"><h3>${title}</h3>
              <table id="${id}" class="facts" border="0" cellspacing="0" cellpadding="3" summary="${title}"><tbody>${rows.map((row) => factRow(...row)).join("")}
              </tbody></table></td></tr>`;

/** A county's property page as such sites write them: nested tables, generated ids, about 12 KB. The same for the same `n`. */
export const propertyPage = (n: number): string => {
  const parcel = parcelId(n);
  const owner = `${pick(OWNERS, n * 7)} ${n}`;
  const situs = `${100 + n} ${pick(STREETS, n * 3)}`;
  const land = 18_000 + ((n * 7919) % 90_000);
  const building = 45_000 + ((n * 104_729) % 310_000);
  const tax = (land + building) * 0.0118;
  const paid = n % 5 < 3 ? tax : tax / 2;
  const payments = [];
  for (let year = TAX_YEAR; year > FIRST_PAYMENT; year--)
    payments.push(`
                <tr class="${year % 2 ? "odd" : "even"}" onmouseover="mark(this)"><td class="year"><a href="/bill?id=${parcel}&amp;year=${year}" title="Bill of ${year}">${year}</a></td><td class="sum" align="right">${dollars(tax * (1 - (TAX_YEAR - year) / 50))}</td><td class="paid" nowrap="nowrap">${year}-1${year % 3}-${10 + (n % 19)}</td><td class="note"><img src="/images/check.gif" width="12" height="12" alt=""> ${year === TAX_YEAR && paid < tax ? "PARTIAL" : "PAID"}</td></tr>`);
  const links = Array.from(
    { length: 14 },
    (_, i) => `
        <li class="item"><a class="link" href="/office/${i}?from=parcel&amp;s=${n % 9}"><span>Office of Public Service ${i}</span></a></li>`,
  );
  const viewState = Buffer.from(`${parcel}|${owner}|${situs}|`.repeat(7)).toString("base64");
  return `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html lang="en"><head><meta charset="utf-8"><title>Parcel ${parcel} | Example County Tax Office</title>
<link rel="stylesheet" href="/styles/main.css?v=41"><style type="text/css">.caption{font-weight:bold}.value{padding-left:6px}.odd{background:#f4f4ff}.sum{font-family:monospace}</style>
<script type="text/javascript">var pageNumber=${n};function mark(row){row.className=row.className+" marked";}
function show(id){var part=document.getElementById(id);if(part){part.style.display=part.style.display=="none"?"":"none";}}</script>
</head><body class="property"><form method="post" action="/parcel/${n}" id="aspnetForm"><div><input type="hidden" name="__VIEWSTATE" id="__VIEWSTATE" value="${viewState}"></div>
<div id="top"><table width="100%" border="0" cellspacing="0" cellpadding="0"><tr><td><img src="/images/seal.png" alt="County seal"></td><td><h1>Example County Tax Office &amp; Assessor</h1></td></tr></table>
      <ul id="menu">${links.join("")}
      </ul></div>
<div id="main"><table class="frame" width="980"><tr><td class="left" valign="top"><h2>Property Details</h2>
          <table class="outer" border="0">${factTable("ownerTable", "Property and owner", [
            ["Parcel number", "ParcelId", parcel],
            ["Owner of record", "Owner", owner],
            ["Situs address", "Situs", situs],
            ["Tax district", "District", String(1000 + (n % 70))],
            ["Use code", "Use", pick(["RESIDENTIAL", "COMMERCIAL", "AGRICULTURAL", "VACANT"], n)],
          ])}${factTable("valueTable", "Assessed values", [
            ["Tax year", "Year", String(TAX_YEAR)],
            ["Land value", "Land", dollars(land)],
            ["Building value", "Building", dollars(building)],
            ["Assessed value", "Assessed", dollars(land + building)],
          ])}${factTable("taxTable", "Taxes", [
            ["Total tax", "Tax", dollars(tax)],
            ["Amount paid", "Paid", dollars(paid)],
            ["Balance due", "Due", dollars(tax - paid)],
            ["Status", "Status", paid < tax ? "DELINQUENT" : "PAID"],
          ])}
          </table>
          <h3>Payment history</h3>
              <table id="payments" class="grid" border="1" cellpadding="2"><thead><tr><th>Year</th><th>Billed</th><th>Paid on</th><th>Note</th></tr></thead><tbody>${payments.join("")}
              </tbody></table>
    </td><td class="right" valign="top"><div class="box"><p>Questions? Call <b>555-0142</b> or <a href="mailto:tax@county.example">write to us</a>.<br>Open 8&ndash;5.</p><p>The information shown is believed to be reliable but is not guaranteed.</p></div></td></tr></table></div>
<div id="bottom"><p>&copy; ${TAX_YEAR} Example County. <a href="/privacy">Privacy</a> | <a href="/terms">Terms of use</a></p></div></form></body></html>
`;
};
