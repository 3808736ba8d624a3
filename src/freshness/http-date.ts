const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const TIME = String.raw`(?<time>\d{2}:\d{2}:\d{2})`;
/** The three forms that every recipient must read (RFC 9110, 5.6.7): the one in use, RFC 850, and asctime. */
const FORMS = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]+, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];

/** In milliseconds since 1970; undefined for what is no date of HTTP. `now` tells the century of a year of two digits. */
export const parseHttpDate = (text: string, now: number): number | undefined => {
  const found = FORMS.map((form) => form.exec(text.trim())?.groups).find(Boolean);
  const month = MONTHS.indexOf(found?.["month"] ?? "");
  if (!found || month < 0) return undefined;
  const [hour, minute, second] = found["time"]!.split(":").map(Number);
  const day = Number(found["day"]);
  if (hour! > 23 || minute! > 59 || second! > 60 || day < 1) return undefined;
  const at = Date.UTC(fullYear(found["year"]!, now), month, day, hour, minute, second);
  // Not the 31st of a month of 30 days.
  return new Date(at).getUTCDate() === day || second === 60 ? at : undefined;
};

/** One that seems to lie more than 50 years ahead is the last that ended so. */
const fullYear = (digits: string, now: number): number => {
  if (digits.length === 4) return Number(digits);
  const current = new Date(now).getUTCFullYear();
  const year = current - (current % 100) + Number(digits);
  return year > current + 50 ? year - 100 : year;
};
