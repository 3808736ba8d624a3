import type { Language } from "./language.ts";
import type { Random } from "./random.ts";
import type { Writer } from "./writer.ts";

export const ownerWriter = ({ owners, lookalikes }: Language): Writer => ({
  write: (random) => plain(random.chance(0.2) ? random.pick(lookalikes) : random.pick(owners)),
});

export const addressWriter = ({ streets, towns }: Language, random: Random): Writer => {
  // A line break in the text becomes <br> on the page.
  const between = random.pick([", ", "\n", "\n", " - "]);
  return {
    write: (drawn) => {
      const text = `${drawn.pick(streets)}${between}${drawn.pick(towns)}`;
      return { text, value: text.replace("\n", " ") };
    },
  };
};

/** A number of the storage's own, of which the author knows the form: 9 is a digit, A a letter. */
export const PARCEL_FORMS = ["999-9999-99", "9999999999", "AA99-99999", "99.999.9999", "R999999"] as const;

export const parcelPattern = (form: string): RegExp =>
  new RegExp(`^${form.replaceAll(".", "\\.").replaceAll("9", "\\d").replaceAll("A", "[A-Z]")}$`);

export const parcelWriter = (form: string, notes: readonly string[]): Writer => {
  const fill = (random: Random): string =>
    form.replace(/9|A/g, (mark) =>
      mark === "9" ? String(random.between(0, 9)) : String.fromCodePoint(random.between(65, 90)),
    );
  return {
    write: (random) => plain(fill(random)),
    spoil: (random) =>
      random.pick([
        () => fill(random).slice(0, -1),
        () => `${fill(random)}${random.between(0, 9)}`,
        () => fill(random).replace(/\d$/, "O"),
        () => `${fill(random)} & ${fill(random)}`,
        () => random.pick(notes),
        () => "{{ parcel }}",
      ])(),
  };
};

export const choiceWriter = (choices: readonly string[], notes: readonly string[]): Writer => ({
  write: (random) => plain(random.pick(choices)),
  spoil: (random) =>
    random.pick([
      () => random.pick(notes),
      () => `${random.pick(choices)}?`,
      () => random.pick(choices).slice(0, -2),
    ])(),
});

const plain = (text: string) => ({ text, value: text });
