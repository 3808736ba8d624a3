import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRecord } from "../domain/judgement.ts";
import type { FieldStatus } from "../domain/record.ts";
import type { Field } from "./define-field.ts";
import { compileExtraction } from "./extract-spec.ts";
import { field } from "./field.ts";

const page = { name: "p", url: "https://county.example/", status: 200, mediaType: "text/html" };

function statusOf(of: Field<unknown>, cell: string): FieldStatus {
  const [raw] = compileExtraction({ fields: { it: of } }).read([
    { ...page, text: `<table><tr><td id=it>${cell}</td></tr></table>` },
  ]);
  return judgeRecord(raw ?? assert.fail(), ["it"]).fields["it"]?.status ?? assert.fail();
}

const KINDS = {
  text: field.text("#it"),
  number: field.number("#it"),
  money: field.money("#it"),
  percent: field.percent("#it"),
  date: field.date("#it", { formats: ["MM/DD/YYYY", "M/D/YYYY", "YYYY-MM-DD", "MMMM D, YYYY"] }),
  phone: field.phone("#it", { country: "US" }),
  email: field.email("#it"),
} as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** Cells are separated by bars; a blank cell is a blank. */
const cells = (text: string): readonly string[] => text.split("¦").map((cell) => cell.trim());

function expectAll(kinds: readonly Kind[], status: FieldStatus, written: readonly string[]): void {
  const wrong = kinds.flatMap((kind) =>
    written
      .filter((cell) => statusOf(KINDS[kind], cell) !== status)
      .map((cell) => `${kind} ${cell} is ${statusOf(KINDS[kind], cell)}`),
  );
  assert.deepEqual(wrong, []);
}

test("texts that mean 'no value' are empty in every kind of field", () => {
  expectAll(
    KIND_NAMES,
    "empty",
    cells(`  ¦ &nbsp; ¦ &nbsp;&nbsp; ¦ <br> ¦ <span></span> ¦ <!-- none --> ¦ &#8203; ¦ &amp;nbsp; ¦ - ¦ -- ¦ --- ¦
    - - ¦ &mdash; ¦ &ndash; ¦ … ¦ ... ¦ * ¦ *** ¦ ? ¦ ?? ¦ / ¦ _____ ¦ • ¦ &middot; ¦ ~ ¦ . ¦ N/A ¦ n/a ¦
    N / A ¦ N.A. ¦ n.a. ¦ NA ¦ (N/A) ¦ [N/A] ¦ N/A. ¦ *N/A* ¦ #N/A ¦ -N/A- ¦ &lt;N/A&gt; ¦ None ¦ NONE ¦
    (none) ¦ none. ¦ [none] ¦ -- none -- ¦ None on file ¦ None listed ¦ None Recorded ¦ None reported ¦
    None available ¦ None Found ¦ none given ¦ None at this time ¦ NONE ON RECORD ¦ Not Available ¦
    NOT AVAILABLE ¦ not available. ¦ Not applicable ¦ Not Listed ¦ -- not listed -- ¦ Not on file ¦
    Not provided ¦ Not Reported ¦ Not recorded ¦ Not specified ¦ Not given ¦ Not disclosed ¦ Not stated ¦
    not set ¦ Not assigned ¦ Not yet available ¦ Not currently available ¦ Not Found ¦ Not entered ¦
    Not available at this time ¦ Not Known ¦ Data not available ¦ Information not available ¦
    Information unavailable ¦ Data unavailable ¦ Currently unavailable ¦ No information available ¦ No Data ¦
    No data available ¦ No data found ¦ no data on file ¦ No Record ¦ No records found ¦ No information ¦
    No value ¦ Unknown ¦ UNKNOWN ¦ (unknown) ¦ Unavailable ¦ Unspecified ¦ TBD ¦ TBA ¦ T.B.D. ¦
    To be determined ¦ To Be Announced ¦ null ¦ NULL ¦ (null) ¦ undefined ¦ NaN ¦ nil ¦ [blank] ¦ (empty) ¦
    Missing ¦ n.d. ¦ N/D ¦ k.A. ¦ k. A. ¦ keine Angabe ¦ Keine Angaben ¦ unbekannt ¦ nicht verfügbar ¦
    nicht angegeben ¦ non renseigné ¦ Non disponible ¦ N.C. ¦ inconnu ¦ aucun ¦ néant ¦ sin dato ¦ Sin datos ¦
    no disponible ¦ desconocido ¦ No aplica ¦ s/d ¦ non disponibile ¦ n.v.t. ¦ onbekend ¦ não informado ¦
    sem informação ¦ brak danych ¦ нет данных ¦ 不明 ¦ なし ¦ 暂无 ¦ N/A - Not Applicable ¦ N/A (not available)`),
  );
});

test("a mask or a lone sign of the type is empty", () => {
  expectAll(
    ["money"],
    "empty",
    cells(`$ ¦ $ - ¦ $- ¦ $-- ¦ $ &mdash; ¦ - $ ¦ € - ¦ $ N/A ¦ USD ¦ USD - ¦ $ -&nbsp;&nbsp; ¦ $XX.XX ¦ $xxx ¦
    Pending ¦ Withheld ¦ Confidential ¦ $ none`),
  );
  expectAll(["percent"], "empty", cells(`% ¦ - % ¦ -- % ¦ &mdash;% ¦ N/A % ¦ xx% ¦ Pending`));
  expectAll(["number"], "empty", cells(`xx ¦ XXX ¦ Pending ¦ No value ¦ not yet assessed ¦ no exemption`));
  expectAll(
    ["date"],
    "empty",
    cells(`xx/xx/xxxx ¦ XX/XX/XXXX ¦ mm/dd/yyyy ¦ MM/DD/YYYY ¦ DD.MM.YYYY ¦ TT.MM.JJJJ ¦ jj/mm/aaaa ¦ __/__/____ ¦
    / / ¦ /&nbsp;/ ¦ - - - ¦ 00/00/0000 ¦ 0/0/0000 ¦ 00/00/00 ¦ 0000-00-00 ¦ 0000-00-00 00:00:00 ¦
    01/01/0001 ¦ 1/1/0001 12:00:00 AM ¦ 0001-01-01T00:00:00 ¦ 0 ¦ ??/??/???? ¦ No date ¦ Pending ¦ not yet ¦
    --/--/---- ¦ ##/##/#### ¦ no sale date ¦ date unknown ¦ unknown date ¦ undated`),
  );
  expectAll(
    ["phone"],
    "empty",
    cells(`(xxx) xxx-xxxx ¦ xxx-xxx-xxxx ¦ XXX-XXX-XXXX ¦ (___) ___-____ ¦ ___-___-____ ¦ ( ) - ¦ () - ¦
    000-000-0000 ¦ (000) 000-0000 ¦ 0000000000 ¦ No phone ¦ No phone number ¦ no phone listed ¦ Unlisted ¦
    not published ¦ ###-###-####`),
  );
  expectAll(["email"], "empty", ["No email", "no e-mail address", "No email on file", "mailto:", "@"]);
});

test("real values are present", () => {
  expectAll(
    ["text"],
    "present",
    cells(`ANN SMITH ¦ No. 5 Elm St ¦ 0 ¦ No ¦ Yes ¦ Noneuil ¦ Na ¦ N ¦ X ¦ None of the above ¦
    Unknown Soldier Park ¦ Nathan ¦ Vacant ¦ Pending ¦ Exempt ¦ A- ¦ 12 ¦ N/A until 2025 ¦ Naomi Nil ¦
    Not Your Average Cafe ¦ No Name Ranch LLC ¦ ka pow ¦ Nothing Hill ¦ PRIVATE ¦ Confidential ¦ NULLMEYER ¦
    Empty Quarter Holdings ¦ Blank, John ¦ Missing Link LLC ¦ TBA Properties ¦ ★★★☆☆ ¦ ✓ ¦ Nowhere Rd ¦
    Data Street 5 ¦ Información general ¦ Nichts Gmbh`),
  );
  expectAll(
    ["money"],
    "present",
    cells(`$0.00 ¦ $0 ¦ 0 ¦ 0.00 ¦ $1,234.56 ¦ 1,234.56 ¦ $ 1,234 ¦ -$5.00 ¦ ($5.00) ¦ $-5.00 ¦ 5.00- ¦ $.50 ¦
    USD 1,234.56 ¦ 1,234.56 USD ¦ 1.234,56 € ¦ € 1.234,56 ¦ 1 234,56 € ¦ 1&#8239;234,56 € ¦ CHF 1'234.50 ¦
    ₹12,34,567.00 ¦ £5 ¦ $1,234.56 CAD ¦ 1.2 million ¦ $1.2 million ¦ 1,2 Mio. € ¦ $ 45 thousand ¦
    &minus;$5.00 ¦ R$ 1.234,56`),
  );
  expectAll(
    ["number"],
    "present",
    cells(`0 ¦ 1 ¦ 1,234 ¦ 1,234.5 ¦ -5 ¦ (5) ¦ 1 234 ¦ 0.25 ¦ .25 ¦ 12,34,567 ¦ 1'234 ¦ 2 million`),
  );
  expectAll(
    ["percent"],
    "present",
    cells(`0% ¦ 0 % ¦ 1.25% ¦ 1,25 % ¦ 100 ¦ -0.5% ¦ (0.5%) ¦ 1.25 percent ¦ 2.5 pct`),
  );
  expectAll(
    ["date"],
    "present",
    cells(`01/02/2024 ¦ 1/2/2024 ¦ 2024-01-02 ¦ January 2, 2024 ¦ Jan 2, 2024 ¦ 12/31/1999 ¦ 02/29/2024`),
  );
  expectAll(
    ["phone"],
    "present",
    cells(`(512) 555-0142 ¦ 512-555-0142 ¦ 512.555.0142 ¦ 5125550142 ¦ +1 512 555 0142 ¦ 1-512-555-0142 ¦
    (512)555-0142 ext. 12 ¦ 512-555-0142 x12 ¦ Phone: (512) 555-0142 ¦
    <a href='tel:+15125550142'>(512) 555-0142</a> ¦ (555) 123-4567 ¦ +44 20 7946 0018 ¦ 512 / 555-0142 ¦
    Tel. 512-555-0142 ¦ +1 (512) 555&#8209;0142`),
  );
  expectAll(
    ["email"],
    "present",
    cells(`clerk@town.gov ¦ Clerk.Of-Court+x@sub.town.co.uk ¦ <a href='mailto:clerk@town.gov'>Email us</a> ¦
    <a href='mailto:clerk@town.gov?subject=Hi'>clerk@town.gov</a> ¦ Email: clerk@town.gov ¦
    Ann &lt;clerk@town.gov&gt; ¦ o'neil@town.gov ¦ clerk@bürger.de ¦
    <a class='__cf_email__' data-cfemail='543732392f14273b217a373b39'>[email&#160;protected]</a>`),
  );
});

test("a value in a wrong format is malformed, never guessed", () => {
  const words = cells(
    `see clerk ¦ abc ¦ Call office ¦ Smith ¦ lorem ipsum ¦ contact us ¦ error ¦ [object Object] ¦ yes ¦ true`,
  );
  expectAll(["number", "money", "percent", "date", "phone", "email"], "malformed", words);
  expectAll(
    ["money", "number"],
    "malformed",
    cells(`12,34.56 ¦ 1,23,4.00 ¦ 1.2.3 ¦ 12abc ¦ $1O0.00 ¦ 1,234.56.78 ¦ 5 - 6 ¦ $5-$6 ¦ 1..5 ¦ 1,,000 ¦ $$5x ¦
    12/31/2024 ¦ $1,234.5O ¦ $ 1 2 3`),
  );
  expectAll(["money"], "malformed", ["$1.234", "1,2345", "five dollars", "$5 per month", "12%"]);
  expectAll(
    ["percent"],
    "malformed",
    cells(`abc% ¦ 12..5% ¦ 1.2.3 % ¦ five percent ¦ 12% of value ¦ 1,23,4%`),
  );
  expectAll(
    ["date"],
    "malformed",
    cells(`13/45/2020 ¦ 02/30/2024 ¦ 2024-13-01 ¦ 31/12/2024 ¦ 2024 ¦ 1/2 ¦ Febtober 3, 2024 ¦ 20240102 ¦
    01-02-2024 ¦ 99/99/9999 ¦ yesterday ¦ 01/02/24x ¦ 00/10/2024 ¦ 2024-00-10 ¦ 1/2/20244`),
  );
  expectAll(
    ["phone"],
    "malformed",
    cells(`12345 ¦ 555-0142 ¦ 512-555-014 ¦ 512-555-01422 ¦ 512-555-CALL ¦ (512) 555-0142 or 512-555-0143 ¦ 123 ¦
    512 555 ¦ phone ¦ ++1 512 ¦ 51255501425125550142`),
  );
  expectAll(
    ["email"],
    "malformed",
    cells(`clerk ¦ clerk@ ¦ @town.gov ¦ clerk@town ¦ clerk at town dot gov ¦ clerk@@town.gov ¦ clerk@town..gov ¦
    clerk town.gov ¦ clerk@town.gov, mayor@town.gov ¦ clerk@.gov ¦ clerk.@town.gov ¦ http://town.gov ¦
    clerk(ät town.gov ¦ clerk@town.c ¦ cl erk@town.gov`),
  );
});

test("without its element, every kind of field is missing", () => {
  for (const kind of KIND_NAMES) {
    const [raw] = compileExtraction({ fields: { it: KINDS[kind] } }).read([
      { ...page, text: "<p>Owner</p>" },
    ]);
    assert.equal(judgeRecord(raw ?? assert.fail(), ["it"]).fields["it"]?.status, "missing", kind);
  }
});
