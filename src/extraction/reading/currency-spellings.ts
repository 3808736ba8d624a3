/** Spellings with `|` between them, and the ISO 4217 codes that each may stand for. */
export type Row = readonly [spellings: string, codes: string];

const DOLLARS =
  "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BBD BMD BND BSD BZD CUP DOP FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD";
const FRANCS = "CHF XAF XOF XPF CDF RWF BIF GNF DJF KMF";
const RUPEES = "INR PKR LKR NPR MUR SCR";
const PESOS = "MXN ARS CLP COP CUP DOP PHP UYU";

/** Signs, with the letters that tell countries apart. What `Intl` has beside these is added from there. */
export const SIGNS: readonly Row[] = [
  ["$", DOLLARS],
  ["US$|U.S.$|U$S|U$D|USD$|$US|$ US", "USD"],
  ["CA$|C$|CDN$|CAD$|Can$|$ CA|$CA|$ CAN|$ CDN", "CAD"],
  ["AU$|A$|AUD$|$ AU", "AUD"],
  ["NZ$|NZD$|$ NZ", "NZD"],
  ["HK$", "HKD"],
  ["NT$", "TWD"],
  ["S$|SG$", "SGD"],
  ["MX$|Mex$", "MXN"],
  ["R$", "BRL"],
  ["RD$", "DOP"],
  ["AR$", "ARS"],
  ["COL$|CO$", "COP"],
  ["$U", "UYU"],
  ["J$|JA$", "JMD"],
  ["TT$", "TTD"],
  ["BZ$", "BZD"],
  ["Bds$", "BBD"],
  ["EC$", "XCD"],
  ["FJ$", "FJD"],
  ["₩", "KRW"],
  ["¥", "JPY CNY"],
  ["JP¥", "JPY"],
  ["CN¥", "CNY"],
  ["£|£ stg", "GBP"],
  ["E£", "EGP"],
  ["GH₵|₵|GH¢", "GHS"],
];

/** In this case of letters only: otherwise they are feet, rooms, kilometres, or a word. */
export const EXACT: readonly Row[] = [
  ["Ft", "HUF"],
  ["RM", "MYR"],
  ["TL", "TRY"],
  ["SR", "SAR"],
  ["KD", "KWD"],
  ["LE|L.E.", "EGP"],
  ["DH", "MAD"],
  ["Dh", "MAD AED"],
  ["DT", "TND"],
  ["Tk", "BDT"],
  ["Bs", "BOB VES"],
  ["RMB", "CNY"],
  ["NIS", "ILS"],
  ["Br", "BYN ETB"],
  ["kn", "HRK"],
  ["M.N.", "MXN"],
  ["FCFA|F CFA|F.CFA|CFA", "XOF XAF"],
  ["VNĐ", "VND"],
];

/** Before an amount only, in capitals. */
export const LETTERS_BEFORE: readonly Row[] = [
  ["R", "ZAR"],
  ["Q", "GTQ"],
  ["S/|S/.", "PEN"],
];

/** Only where the site's country has them: they mean too much elsewhere. */
export const OF_COUNTRY: readonly Row[] = [
  ["N", "NGN NAD"],
  ["P", "PHP BWP"],
  ["L", "HNL"],
  ["K", "ZMW PGK MMK"],
  ["KM", "BAM"],
  ["B/.", "PAB"],
  ["Kz", "AOA"],
  ["Ar", "MGA"],
  ["F", FRANCS],
];

/** In any case of letters. A dot may follow. */
export const WORDS: readonly Row[] = [
  ["euro|euros|euri|eura|ευρώ|евро", "EUR"],
  ["dollar|dollars|dollari|dólar|dolar|dólares|dolares", DOLLARS],
  ["kr|krone|kroner", "SEK NOK DKK ISK"],
  ["krona|kronor", "SEK"],
  ["kronur|krónur", "ISK"],
  ["kč|koruna|koruny|korun", "CZK"],
  ["zł|zl|złotych|złote|złoty|zlotych|zlote|zloty", "PLN"],
  ["fr|sfr|franken|franchi", "CHF"],
  ["franc|francs|franco|francos|frank|franków|franki", FRANCS],
  ["lei|leu", "RON"],
  ["rs|rupee|rupees|rupia|rupias|rupie", RUPEES],
  ["रुपये|रुपए|रु", "INR"],
  ["rp", "IDR"],
  ["лв|лева", "BGN"],
  ["din|dinara|дин|динара", "RSD"],
  ["lek|lekë", "ALL"],
  ["ден", "MKD"],
  ["руб|р|рублей|рубля|рубль", "RUB"],
  ["грн|гривень|гривні", "UAH"],
  ["тг|тенге", "KZT"],
  ["reais|real", "BRL"],
  ["peso|pesos", PESOS],
  // Without that word they may be weights.
  ["pound sterling|pounds sterling|sterling|sterline|libras esterlinas|livres sterling", "GBP"],
  ["forint", "HUF"],
  ["yen|円", "JPY"],
  ["yuan|人民币", "CNY"],
  ["元|圆|圓|块", "CNY TWD HKD"],
  ["원", "KRW"],
  ["บาท|baht", "THB"],
  ["đ", "VND"],
  ["ksh|kshs", "KES"],
  ["ush", "UGX"],
  ["tsh", "TZS"],
  ["dhs", "AED"],
  ["gs", "PYG"],
  ["php", "PHP"],
  ['ש"ח|ש״ח', "ILS"],
  ["جنيه", "EGP"],
  ["درهم", "AED MAD"],
  ["ريال", "SAR QAR OMR YER"],
  ["دينار", "KWD BHD IQD JOD LYD TND DZD"],
  ["ریال", "IRR"],
  // Ten rials: a name of everyday life, without a code.
  ["تومان", ""],
  ["lire", ""],
];

/** Behind an amount only. */
export const MINOR: readonly Row[] = [
  ["¢", `${DOLLARS} EUR`],
  ["cent|cents", `${DOLLARS} EUR ZAR`],
  ["pence|penny", "GBP"],
  ["centime|centimes", `EUR ${FRANCS}`],
  ["céntimos|centesimi|cêntimos", "EUR"],
  ["centavos", `BRL ${PESOS}`],
  ["öre", "SEK"],
  ["øre", "NOK DKK"],
  ["rappen", "CHF"],
  ["groszy|grosze", "PLN"],
  ["коп|копеек", "RUB UAH BYN"],
  ["paise", RUPEES],
];
/** Only where they touch the number: `336 p.` is how some write roubles. */
export const MINOR_LETTERS: readonly Row[] = [
  ["c", `${DOLLARS} EUR ZAR`],
  ["p", "GBP"],
];
/** Where decimals are written with a point, these are carats or a count. */
export const MINOR_WITH_COMMA: readonly Row[] = [["ct|cts", "EUR"]];
/** Grams, unless a currency stands before: `12 zł 50 gr`. */
export const MINOR_IN_COMPOUND: readonly Row[] = [["gr|p|c|ct", "PLN GBP EUR"]];

/** Codes that people also write in small letters; others are words then: `all`, `cup`, `top`, `try`. */
export const SMALL_CODES =
  "usd eur gbp chf sek nok dkk pln czk huf jpy cny inr cad aud nzd sgd hkd brl mxn zar rub uah thb krw twd idr myr vnd aed sar".split(
    " ",
  );
