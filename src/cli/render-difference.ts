import {
  type Difference,
  FIELD_CHANGES,
  type FieldChange,
  type FieldDifference,
  type FieldExample,
  type FieldSaid,
  isNothing,
  type Tally,
} from "../reextract/difference.ts";
import { fitText, plainText } from "./fit-text.ts";
import { counted, countText } from "./number-text.ts";
import { textTable } from "./text-table.ts";

interface DifferenceNames {
  readonly before: string;
  readonly after: string;
}

const MAX_KEY = 32;
const MAX_VALUE = 48;

/** What differs between two sets of records, for a person: a table of the fields, then examples. */
export const renderDifference = (
  difference: Difference,
  { before, after }: DifferenceNames,
  width: number,
): string[] => {
  if (isNothing(difference))
    return [`No difference: the records of ${counted(difference.items, "item")} are the same in both sets.`];
  return [
    `${countText(difference.changedItems)} of ${counted(difference.items, "item")} differ.`,
    ...tallyLine(difference.onlyBefore, "item", `only in ${before}`),
    ...tallyLine(difference.onlyAfter, "item", `only in ${after}`),
    ...[...difference.states].flatMap(([change, tally]) => tallyLine(tally, "item", change)),
    ...tallyLine(difference.recordsGained, "record", "gained"),
    ...tallyLine(difference.recordsLost, "record", "lost"),
    "",
    ...fieldTable(difference, width),
    ...exampleLines(difference, width),
  ];
};

const tallyLine = ({ count, keys }: Tally, noun: string, what: string): string[] => {
  if (count === 0) return [];
  const shown = keys.map((key) => fitText(plainText(key), MAX_KEY)).join(", ");
  return [`  ${counted(count, noun)} ${what}, such as ${shown}`];
};

const fieldTable = ({ fields }: Difference, width: number): string[] => {
  if (fields.size === 0) return [];
  const number = (title: string) => ({ title, align: "right" as const });
  return textTable(
    [{ title: "field" }, ...FIELD_CHANGES.map(number), number("same")],
    [...fields].map(([name, field]) => [
      plainText(name),
      ...FIELD_CHANGES.map((change) => countOrDash(field[change])),
      countOrDash(field.same),
    ]),
    width,
  );
};

const countOrDash = (count: number): string => (count === 0 ? "–" : countText(count));

const exampleLines = ({ fields }: Difference, width: number): string[] =>
  [...fields].flatMap(([name, field]) => {
    const lines = FIELD_CHANGES.flatMap((change) => changeLines(change, field));
    return lines.length === 0
      ? []
      : ["", `  ${plainText(name)}`, ...lines.map((line) => fitText(line, width))];
  });

const changeLines = (change: FieldChange, { examples }: FieldDifference): string[] =>
  examples[change].map(
    (example) =>
      `    ${change.padEnd(8)}  ${fitText(plainText(example.key), MAX_KEY)}: ${exampleText(example)}`,
  );

const exampleText = ({ before, after }: FieldExample): string => `${saidText(before)} → ${saidText(after)}`;

/** A value as it is, quoted where it is text; what is no value by its status. */
const saidText = (said: FieldSaid | undefined): string => {
  if (said === undefined) return "(no such field)";
  if (said.status !== "present") return said.status;
  const { value } = said;
  return fitText(plainText(JSON.stringify(value ?? null)), MAX_VALUE);
};

/** The same for a program: plain objects, nothing cut but what was cut when it was compared. */
export const differenceJson = (difference: Difference): Record<string, unknown> => ({
  ...difference,
  states: Object.fromEntries(difference.states),
  fields: Object.fromEntries(difference.fields),
});
