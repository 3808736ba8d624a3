/** Month names of a language, long and short, in lower case, as they stand alone and inside of a date, to their number. */
export function monthsOf(locale: string): ReadonlyMap<string, number> {
  const months = new Map<string, number>();
  for (let month = 1; month <= 12; month++) {
    const day = new Date(Date.UTC(2024, month - 1, 1));
    for (const width of ["long", "short"] as const) {
      for (const options of [{ month: width }, { month: width, day: "numeric" }] as const) {
        const parts = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).formatToParts(day);
        const name = parts.find(({ type }) => type === "month")?.value.toLowerCase();
        if (name === undefined || /\d/.test(name)) continue;
        const bare = name.replace(/\.$/, "");
        months.set(bare, month);
        months.set(`${bare}.`, month);
      }
    }
  }
  if (months.get("sep") === 9) months.set("sept", 9).set("sept.", 9);
  return months;
}
