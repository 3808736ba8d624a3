import type { FieldStatus } from "../../src/domain/record.ts";
import type { Column } from "./column.ts";
import type { Random } from "./random.ts";

/** What was generated for a cell: the truth that the judgement is compared with. */
export type Cell =
  | { readonly drawn: "present"; readonly text: string; readonly value: unknown; readonly shown?: string }
  | {
      readonly drawn: "items";
      readonly items: readonly string[];
      readonly text: string;
      readonly value: unknown;
    }
  | { readonly drawn: "blank"; readonly text: "" }
  | { readonly drawn: "placeholder"; readonly text: string }
  /** Not there, and the page says that there is none. */
  | { readonly drawn: "said none"; readonly text: string }
  | { readonly drawn: "absent"; readonly text: "" }
  | { readonly drawn: "wrong"; readonly text: string };

export const trueStatus = (cell: Cell): FieldStatus => {
  switch (cell.drawn) {
    case "present":
    case "items":
      return "present";
    case "blank":
    case "placeholder":
    case "said none":
      return "empty";
    case "absent":
      return "missing";
    case "wrong":
      return "malformed";
    default:
      return cell satisfies never;
  }
};

/** Of 100 cells: 52 present, 14 blank, 14 placeholders, 10 absent, 10 wrong where the column can be wrong. */
export const drawCell = (column: Column, random: Random): Cell => {
  const share = random.next();
  if (share < 0.14) return { drawn: "blank", text: "" };
  if (share < 0.28)
    return { drawn: "placeholder", text: withUnit(random.pick(column.nothing), column, random) };
  if (share < 0.38)
    return column.kind === "list" && random.chance(0.5)
      ? { drawn: "said none", text: "" }
      : { drawn: "absent", text: "" };
  if (share < 0.48 && column.spoil !== undefined) return { drawn: "wrong", text: column.spoil(random) };
  if (column.kind === "list") return drawItems(column, random);
  return { drawn: "present", ...column.write(random) };
};

/** Some programs print the unit whether or not there is a number before it. */
const withUnit = (text: string, { unit }: Column, random: Random): string => {
  if (unit === undefined || unit === "" || random.chance(0.5)) return text;
  if (random.chance(0.1)) return unit;
  return /^\W+$/.test(text) ? `${text} ${unit}` : text;
};

const drawItems = (column: Column, random: Random): Cell => {
  const items = [...new Set(Array.from({ length: random.between(1, 5) }, () => column.write(random).text))];
  return { drawn: "items", items, text: items.join(" | "), value: items };
};
