import type { Language } from "./language.ts";
import type { LocaleTag } from "./locale.ts";
import type { Random } from "./random.ts";
import type { Writer } from "./writer.ts";

/**
 * How sites write dates, in the words that authors use for `formats`: YYYY YY year, MMMM MMM MM M month, DD D Do day (Do with the
 * language's ending), dddd weekday, HH h mm ss A time; what stands in brackets is meant as it is. "MMM." has a dot where the
 * short name is not the whole one; its author would leave the dot away.
 */
const FORMS: Readonly<Record<LocaleTag, readonly string[]>> = {
  "en-US": [
    "MM/DD/YYYY",
    "M/D/YYYY",
    "MM-DD-YYYY",
    "M/D/YY",
    "MMMM D, YYYY",
    "MMM D, YYYY",
    "MMM. D, YYYY",
    "D-MMM-YYYY",
    "DD-MMM-YY",
    "dddd, MMMM D, YYYY",
    "M/D/YYYY h:mm:ss A",
    "MM/DD/YYYY h:mm A",
    "MMMM Do, YYYY",
    "YYYY-MM-DD",
  ],
  "en-GB": [
    "DD/MM/YYYY",
    "D/M/YYYY",
    "DD-MM-YYYY",
    "DD.MM.YYYY",
    "D MMMM YYYY",
    "D MMM YYYY",
    "Do MMMM YYYY",
    "dddd D MMMM YYYY",
    "DD/MM/YYYY HH:mm",
    "DD/MM/YY",
    "YYYY-MM-DD",
  ],
  "en-IN": [
    "DD-MM-YYYY",
    "DD/MM/YYYY",
    "DD-MMM-YYYY",
    "DD.MM.YYYY",
    "Do MMMM, YYYY",
    "MMMM D, YYYY",
    "DD-MM-YYYY h:mm:ss A",
  ],
  "de-DE": [
    "DD.MM.YYYY",
    "D.M.YYYY",
    "DD.MM.YY",
    "D. MMMM YYYY",
    "D. MMM YYYY",
    "dddd, D. MMMM YYYY",
    "dddd, DD.MM.YYYY",
    "DD.MM.YYYY, HH:mm [Uhr]",
    "[den] DD.MM.YYYY",
    "YYYY-MM-DD",
  ],
  "de-CH": ["DD.MM.YYYY", "D.M.YYYY", "D. MMMM YYYY", "dddd, D. MMMM YYYY", "YYYY-MM-DD"],
  "fr-FR": [
    "DD/MM/YYYY",
    "D/M/YYYY",
    "DD.MM.YYYY",
    "DD-MM-YYYY",
    "Do MMMM YYYY",
    "D MMM YYYY",
    "dddd Do MMMM YYYY",
    "[le] Do MMMM YYYY",
    "DD/MM/YYYY [à] HH[h]mm",
    "YYYY-MM-DD",
  ],
  "es-ES": [
    "DD/MM/YYYY",
    "D/M/YYYY",
    "DD-MM-YYYY",
    "D [de] MMMM [de] YYYY",
    "D MMM YYYY",
    "dddd, D [de] MMMM [de] YYYY",
    "DD/MM/YY",
    "YYYY-MM-DD",
  ],
  "nl-NL": [
    "DD-MM-YYYY",
    "D-M-YYYY",
    "D MMMM YYYY",
    "D MMM YYYY",
    "D MMM. YYYY",
    "dddd D MMMM YYYY",
    "DD-MM-YYYY HH:mm [uur]",
    "YYYY-MM-DD",
  ],
  "it-IT": [
    "DD/MM/YYYY",
    "D/M/YYYY",
    "DD-MM-YYYY",
    "DD.MM.YYYY",
    "Do MMMM YYYY",
    "D MMM YYYY",
    "dddd Do MMMM YYYY",
    "YYYY-MM-DD",
  ],
  "pl-PL": [
    "DD.MM.YYYY",
    "D.MM.YYYY",
    "DD-MM-YYYY",
    "D MMMM YYYY",
    "D MMMM YYYY [r.]",
    "DD.MM.YYYY [r.]",
    "dddd, D MMMM YYYY",
    "YYYY-MM-DD",
  ],
  "pt-BR": [
    "DD/MM/YYYY",
    "D/M/YYYY",
    "DD-MM-YYYY",
    "Do [de] MMMM [de] YYYY",
    "D MMM YYYY",
    "dddd, Do [de] MMMM [de] YYYY",
    "DD/MM/YY",
    "YYYY-MM-DD",
  ],
  "sv-SE": [
    "YYYY-MM-DD",
    "D MMMM YYYY",
    "[den] D MMMM YYYY",
    "D MMM YYYY",
    "dddd D MMMM YYYY",
    "YYYY-MM-DD [kl.] HH:mm",
  ],
};

/** What needs no format. */
const ISO_FORMS = [
  "YYYY-MM-DD",
  "YYYY-MM-DD[T]00:00:00",
  "YYYY-MM-DD[T]12:00:00[Z]",
  "YYYY-MM-DD HH:mm",
] as const;

export const dateForm = (tag: LocaleTag, random: Random): string => random.pick(FORMS[tag]);
export const isoForm = (random: Random): string => random.pick(ISO_FORMS);

interface Day {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

export const dateWriter = (form: string, language: Language): Writer => ({
  write: (random) => {
    const [first, last] = /(?<!Y)YY(?!Y)/.test(form) ? [1990, 2025] : [1905, 2026];
    const day = {
      year: random.between(first, last),
      month: random.between(1, 12),
      day: random.between(1, 28),
    };
    return { text: writeDay(day, form, language), value: isoDay(day) };
  },
  spoil: (random) =>
    random.pick([
      () => writeDay(impossibleDay(random, !/MMM/.test(form)), form, language),
      () => writeDay(impossibleDay(random, !/MMM/.test(form)), form, language),
      () => random.pick(language.notes),
      () => `Q${random.between(1, 4)} ${random.between(2001, 2026)}`,
      () => String(random.between(30_000, 46_000)),
      () => `${random.between(10, 12)}/${random.between(2001, 2026)}`,
      () => `${random.between(10, 28)}/${random.between(10, 12)}/`,
      () => `${random.between(10, 28)}.${random.between(10, 12)}.20${random.between(100, 999)}`,
      () => "{{ date }}",
      () => "Invalid Date",
    ])(),
});

const isoDay = ({ year, month, day }: Day): string => `${year}-${twoDigits(month)}-${twoDigits(day)}`;

/** No calendar has it, whichever part is read as day and which as month. */
const impossibleDay = (random: Random, isInNumbers: boolean): Day => {
  const year = random.between(2001, 2025);
  if (isInNumbers && random.chance(0.4))
    return { year, month: random.between(13, 19), day: random.between(32, 39) };
  if (random.chance(0.5)) return { year, month: random.pick([4, 6, 9, 11]), day: 31 };
  return year % 4 === 0 ? { year, month: 2, day: 30 } : { year, month: 2, day: random.pick([29, 30, 31]) };
};

const TOKEN = /\[([^\]]*)\]|YYYY|YY|MMMM|MMM\.?|MM|M|DD|Do|D|dddd|HH|h|mm|ss|A/g;

const writeDay = (day: Day, form: string, language: Language): string =>
  form.replace(TOKEN, (token, quoted?: string) => quoted ?? partOf(token, day, language));

const twoDigits = (part: number): string => String(part).padStart(2, "0");

const partOf = (token: string, { year, month, day }: Day, language: Language): string => {
  const short = language.monthsShort[month - 1]!;
  const long = language.months[month - 1]!;
  const parts: Readonly<Record<string, string>> = {
    YYYY: String(year),
    YY: String(year).slice(2),
    MMMM: long,
    MMM: short,
    "MMM.": short === long ? short : `${short}.`,
    MM: twoDigits(month),
    M: String(month),
    DD: twoDigits(day),
    D: String(day),
    Do: ordinal(day, language),
    dddd: language.weekdays[new Date(Date.UTC(year, month - 1, day)).getUTCDay()]!,
    // Any time of the day will do, as long as it is one.
    HH: twoDigits((day * 7) % 24),
    h: String((day % 12) + 1),
    mm: twoDigits((year + day) % 60),
    ss: "00",
    A: day % 2 === 0 ? "AM" : "PM",
  };
  return parts[token]!;
};

const ordinal = (day: number, { firstDay }: Language): string => {
  if (firstDay === undefined) return `${day}${ordinalEnd(day)}`;
  return day === 1 ? firstDay : String(day);
};

const ordinalEnd = (day: number): string => {
  if (day > 10 && day < 14) return "th";
  return ["th", "st", "nd", "rd"][day % 10] ?? "th";
};
