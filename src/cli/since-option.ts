import { InvalidArgumentError } from "commander";

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** A day (`2026-11-01`, from its first minute here), a moment (`2026-11-01T08:30Z`), or a while ago: `12h`, `7d`, `2w`. */
export const sinceWhen =
  (now: () => number) =>
  (text: string): number => {
    const ago = /^(\d{1,5})([hdw])$/.exec(text);
    if (ago) return now() - Number(ago[1]) * UNITS_MS[ago[2]!]!;
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
    const at = isDay ? Date.parse(`${text}T00:00`) : /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
    if (!Number.isNaN(at)) return at;
    throw new InvalidArgumentError("Give a day such as 2026-11-01, or a while ago such as 12h, 7d or 2w.");
  };
