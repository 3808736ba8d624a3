/** The eight fields that every program extracts, with the same selectors. */
export const FIELDS = {
  parcel: "#ctl00_body_lblParcelId",
  owner: "table#ownerTable tr.row:nth-child(2) td.value span.text",
  situs: "#ownerTable #ctl00_body_lblSitus",
  year: "#valueTable span#ctl00_body_lblYear",
  assessed: "table.facts span#ctl00_body_lblAssessed",
  tax: "#taxTable tr:nth-child(1) .value .text",
  status: "span#ctl00_body_lblStatus",
  lastPaid: "#payments tbody tr:first-child td.paid",
} as const;
