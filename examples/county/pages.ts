import { framed } from "./frame.ts";
import { escapeHtml } from "./listing.ts";
import { type Parcel, TAX_YEAR } from "./parcels.ts";
import type { Sessions } from "./session.ts";

export const BUTTON = "ctl00$btnSearch";
export const YEAR = "ctl00$ddlTaxYear";
export const SEARCH_TYPE = "ctl00$rblSearchType";

const YEARS = [TAX_YEAR, TAX_YEAR - 1, TAX_YEAR - 2]
  .map(
    (year, index) => `<option${index === 0 ? ' selected="selected"' : ""} value="${year}">${year}</option>`,
  )
  .join("");

export function searchPage(sessions: Sessions, session: string): string {
  return framed(
    "Property Search",
    `<h2>Property Tax Search</h2>
<form name="search" method="post" action="./search.aspx" id="search">
<div class="aspNetHidden">
<input type="hidden" name="__EVENTTARGET" id="__EVENTTARGET" value="" />
<input type="hidden" name="__EVENTARGUMENT" id="__EVENTARGUMENT" value="" />
<input type="hidden" name="__VIEWSTATE" id="__VIEWSTATE" value="${sessions.viewState(session)}" />
<input type="hidden" name="__VIEWSTATEGENERATOR" id="__VIEWSTATEGENERATOR" value="C2EE9ABB" />
<input type="hidden" name="__EVENTVALIDATION" id="__EVENTVALIDATION" value="${sessions.eventValidation(session)}" />
</div>
<table border="0" cellpadding="4">
<tr><td class="lbl"><label for="ddlTaxYear">Tax&nbsp;year</label></td><td><select name="${YEAR}" id="ddlTaxYear">${YEARS}</select></td></tr>
<tr><td class="lbl">Search by</td><td>
  <input id="rbl_0" type="radio" name="${SEARCH_TYPE}" value="parcel" checked="checked" /><label for="rbl_0">Parcel number</label>
  <input id="rbl_1" type="radio" name="${SEARCH_TYPE}" value="owner" /><label for="rbl_1">Owner</label></td></tr>
<tr><td class="lbl"><label for="parcel">Search for</label></td><td><input name="parcel" type="text" maxlength="40" id="parcel" value="" /></td></tr>
<tr><td></td><td><input type="submit" name="${BUTTON}" value="Search" id="btnSearch" />
  <input type="submit" name="ctl00$btnClear" value="Clear" id="btnClear" /></td></tr>
</table>
</form>`,
  );
}

export const detailPath = (id: string): string => `/property/detail.aspx?parcel=${id}&year=${TAX_YEAR}`;

export function resultsPage(parcel: Parcel): string {
  return framed(
    "Search Results",
    `<h2>Search Results</h2><p class="count">1 property found.</p>
<table class="grid results" border="1" cellpadding="3"><tr><th>Parcel</th><th>Owner</th><th>Situs</th><th>&nbsp;</th></tr>
<tr><td>${parcel.id}</td><td>${escapeHtml(parcel.owner)}</td><td>${parcel.street}</td>
<td><a class="detail" href="${detailPath(parcel.id).slice(1).replace("&", "&amp;")}">View&nbsp;account</a></td></tr></table>`,
  );
}

export const noResultsPage = (): string =>
  framed(
    "Search Results",
    `<h2>Search Results</h2><div class="no-results"><p>No property found. Please check the parcel number &amp; try again.</p></div>
<p><a href="/search">New search</a></p>`,
  );

export const messagePage = (title: string, text: string): string =>
  framed(
    title,
    `<h2>${title}</h2><div class="error"><p>${text}</p></div><p><a href="/search">New search</a></p>`,
  );
