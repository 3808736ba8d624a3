/** How a language writes the month or weekday of a day: long and short, alone and inside of a date, in lower case and without a dot. */
export function localeWords(locale: string, part: "month" | "weekday", day: number): readonly string[] {
  const words = new Set<string>();
  for (const width of ["long", "short"] as const) {
    for (const options of [{ [part]: width }, { [part]: width, day: "numeric" }] as const) {
      const parts = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).formatToParts(day);
      const word = parts.find(({ type }) => type === part)?.value.toLowerCase();
      if (word !== undefined && !/\d/.test(word)) words.add(word.replace(/\.$/, ""));
    }
  }
  return [...words];
}
