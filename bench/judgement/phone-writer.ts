import type { Language } from "./language.ts";
import type { LocaleTag } from "./locale.ts";
import type { Random } from "./random.ts";
import type { Writer } from "./writer.ts";

interface Numbering {
  readonly code: string;
  /** Without the trunk zero, except in Italy, where it belongs to the number. */
  readonly areas: readonly string[];
  /** Of the subscriber's number: its first digit, and how the digits are grouped. */
  readonly first: readonly [number, number];
  readonly groups: readonly (readonly number[])[];
  /** @ is the area, # the subscriber's number in groups, = the same without. */
  readonly forms: readonly string[];
}

const NUMBERING: Readonly<Record<LocaleTag, Numbering>> = {
  "en-US": {
    code: "1",
    areas: ["512", "214", "305", "206", "702", "312"],
    first: [2, 9],
    groups: [[3, 4]],
    forms: [
      "(@) #",
      "(@)#",
      "@-#",
      "@.#",
      "@=",
      "+1 @ #",
      "1-@-#",
      "+1 (@) #",
      "@ #",
      "@/#",
      "+1@=",
      "(@) # ext. 12",
      "@-# x204",
    ],
  },
  "en-GB": {
    code: "44",
    areas: ["161", "131", "113"],
    first: [2, 4],
    groups: [[3, 4]],
    forms: ["0@ #", "(0@) #", "+44 @ #", "+44 (0)@ #", "0@ =", "0@-#", "0044 @ #", "+44@="],
  },
  "en-IN": {
    code: "91",
    areas: ["11", "22", "44", "80"],
    first: [2, 2],
    groups: [[8], [4, 4]],
    forms: ["0@-#", "+91-@-#", "+91 @ #", "0@ #", "(0@) #", "91-@-=", "+91@="],
  },
  "de-DE": {
    code: "49",
    areas: ["30", "89", "40", "221", "69", "711"],
    first: [2, 8],
    groups: [[7], [2, 2, 2, 1], [3, 4], [3, 2, 2]],
    forms: [
      "0@ #",
      "0@/#",
      "0@ / #",
      "(0@) #",
      "+49 @ #",
      "+49 (0)@ #",
      "0049 @ #",
      "0@-=",
      "+49 (0) @ / #",
      "+49@=",
    ],
  },
  "de-CH": {
    code: "41",
    areas: ["44", "31", "61", "22"],
    first: [2, 8],
    groups: [[3, 2, 2]],
    forms: ["0@ #", "+41 @ #", "+41 (0)@ #", "0@/#", "0041 @ #", "0@ =", "+41@="],
  },
  "fr-FR": {
    code: "33",
    areas: ["1", "2", "3", "4", "5"],
    first: [4, 4],
    groups: [[2, 2, 2, 2]],
    forms: ["0@ #", "0@=", "+33 @ #", "+33 (0)@ #", "0033 @ #", "(+33) @ #", "0@.%"],
  },
  "es-ES": {
    code: "34",
    areas: ["91", "93", "95"],
    first: [2, 8],
    groups: [[3, 2, 2], [7]],
    forms: ["@ #", "@=", "+34 @ #", "(+34) @ #", "0034 @ #", "@-#"],
  },
  "nl-NL": {
    code: "31",
    areas: ["20", "10", "30", "70"],
    first: [2, 7],
    groups: [[7], [3, 4], [3, 2, 2]],
    forms: ["0@-#", "0@ #", "(0@) #", "+31 @ #", "+31 (0)@ #", "+31(0)@-=", "0@-="],
  },
  "it-IT": {
    code: "39",
    areas: ["06", "02"],
    first: [4, 8],
    groups: [[8], [4, 4], [2, 2, 2, 2]],
    forms: ["@ #", "@/#", "@-#", "+39 @ #", "+39 @=", "0039 @ #", "@.="],
  },
  "pl-PL": {
    code: "48",
    areas: ["22", "12", "61", "71"],
    first: [2, 8],
    groups: [[3, 2, 2]],
    forms: ["@ #", "(@) #", "+48 @ #", "(+48) @ #", "@-#", "+48@="],
  },
  "pt-BR": {
    code: "55",
    areas: ["11", "21", "31", "41"],
    first: [2, 4],
    groups: [[4, 4]],
    forms: ["(@) #", "(0@) #", "+55 @ #", "+55 (@) #", "@ #", "(@)="],
  },
  "sv-SE": {
    code: "46",
    areas: ["8"],
    first: [4, 7],
    groups: [[3, 3, 2], [2, 2, 2, 2], [8]],
    forms: ["0@-#", "0@ #", "+46 @ #", "+46 (0)@ #", "0@/#", "+46@=", "+46 (0)@-#"],
  },
};

export const phoneWriter = (tag: LocaleTag, { phoneWords, notes }: Language, random: Random): Writer => {
  const numbering = NUMBERING[tag];
  const form = random.pick(numbering.forms);
  const sizes = random.pick(numbering.groups);
  const joint = random.pick(tag === "en-US" ? ["-", "-", ".", " "] : [" ", " ", "-"]);
  const word = random.chance(0.12) ? `${random.pick(phoneWords)} ` : "";
  const inForm = (area: string, subscriber: string): string =>
    word +
    form
      .replace("@", area)
      .replace("#", grouped(subscriber, sizes).join(joint))
      .replace("%", grouped(subscriber, sizes).join("."))
      .replace("=", subscriber);
  const subscriber = (drawn: Random): string => {
    const length = sizes.reduce((sum, size) => sum + size, 0);
    // No second digit 1 or 0: "N11" is no exchange, and some ranges are kept for services.
    const rest = Array.from({ length: length - 2 }, () => drawn.between(0, 9)).join("");
    return `${drawn.between(...numbering.first)}${drawn.between(2, 8)}${rest}`;
  };
  return {
    write: (drawn) => {
      const area = drawn.pick(numbering.areas);
      const number = subscriber(drawn);
      return { text: inForm(area, number), value: `+${numbering.code}${area}${number}` };
    },
    spoil: (drawn) =>
      drawn.pick([
        () => inForm(drawn.pick(numbering.areas), String(drawn.between(1, 9))),
        () => inForm(drawn.pick(numbering.areas), subscriber(drawn) + subscriber(drawn)),
        () => inForm(drawn.pick(numbering.areas), `${subscriber(drawn).slice(0, 3)}XXXX`),
        () => drawn.pick(notes),
        () => "08:00-17:00",
        () => `office${drawn.between(1, 99)}@city.example`,
        () => `${drawn.between(10, 28)}/${drawn.between(10, 12)}/${drawn.between(2001, 2026)}`,
        () => "{{ phone }}",
      ])(),
  };
};

const grouped = (digits: string, sizes: readonly number[]): string[] => {
  const parts: string[] = [];
  let from = 0;
  for (const [index, size] of sizes.entries()) {
    const isLast = index === sizes.length - 1;
    const part = digits.slice(from, isLast ? undefined : from + size);
    if (part !== "") parts.push(part);
    from += size;
  }
  return parts;
};
