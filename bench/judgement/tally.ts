import { FIELD_STATUSES, type FieldStatus, type JudgedField } from "../../src/domain/record.ts";
import { type Cell, trueStatus } from "./cell.ts";
import type { FieldKind } from "./column.ts";
import { isSameValue } from "./same-value.ts";

export interface Judged {
  readonly kind: FieldKind;
  readonly locale: string;
  readonly layout: string;
  readonly cell: Cell;
  readonly field: JudgedField | undefined;
}

/** One way of being wrong, and how often. */
export interface Confusion {
  readonly kind: FieldKind;
  readonly truth: FieldStatus;
  /** "value" when the status was right and the value was not. */
  readonly judged: FieldStatus | "value";
  /** A cell of this sort, as the page had it. */
  readonly example: string;
  readonly read: unknown;
  readonly where: string;
  count: number;
}

export interface Score {
  readonly status: FieldStatus;
  readonly cells: number;
  readonly precision: number;
  readonly recall: number;
}

export class Tally {
  /** true status → judged status → cells. */
  readonly matrix: Record<FieldStatus, Record<FieldStatus, number>> = emptyMatrix();
  present = 0;
  rightValues = 0;
  readonly #confusions = new Map<string, Confusion>();

  add({ kind, locale, layout, cell, field }: Judged): void {
    const truth = trueStatus(cell);
    const judged = field?.status ?? "missing";
    this.matrix[truth][judged] += 1;
    if (truth === "present" && judged === "present") {
      this.present += 1;
      const isRight = "value" in cell && isSameValue(kind, cell.value, field?.value);
      if (isRight) this.rightValues += 1;
      else this.#confuse(kind, truth, "value", cell, field, `${locale}, ${layout}`);
    }
    if (truth !== judged) this.#confuse(kind, truth, judged, cell, field, `${locale}, ${layout}`);
  }

  get cells(): number {
    return sum(FIELD_STATUSES.map((truth) => sum(Object.values(this.matrix[truth]))));
  }

  /** Of the cells that are present and were judged so, the share whose value is the one on the page. */
  get rightShare(): number {
    return share(this.rightValues, this.present);
  }

  scores(): Score[] {
    return FIELD_STATUSES.map((status) => {
      const truly = sum(Object.values(this.matrix[status]));
      const called = sum(FIELD_STATUSES.map((truth) => this.matrix[truth][status]));
      const hit = this.matrix[status][status];
      return { status, cells: truly, precision: share(hit, called), recall: share(hit, truly) };
    });
  }

  /** The most frequent first. */
  confusions(most: number): Confusion[] {
    return [...this.#confusions.values()].sort((a, b) => b.count - a.count).slice(0, most);
  }

  #confuse(
    kind: FieldKind,
    truth: FieldStatus,
    judged: Confusion["judged"],
    cell: Cell,
    field: JudgedField | undefined,
    where: string,
  ): void {
    const key = JSON.stringify([kind, truth, judged, cell.drawn, shapeOf(cell, field?.raw)]);
    const known = this.#confusions.get(key);
    if (known !== undefined) known.count += 1;
    else {
      const example = `${cell.drawn}: ${JSON.stringify(cell.text)}`;
      this.#confusions.set(key, {
        kind,
        truth,
        judged,
        example,
        read: field?.value ?? field?.raw,
        where,
        count: 1,
      });
    }
  }
}

/** Values that differ only in their digits and words are of one sort, and so are blanks of one raw text. */
const shapeOf = ({ drawn, text }: Cell, raw: string | undefined): string => {
  if (drawn === "blank") return raw ?? "";
  const shape = text.replace(/\d+/g, "9");
  return drawn === "present" ? shape.replace(/\p{L}+/gu, "a") : shape;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** None of none is all of them. */
const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

const emptyMatrix = (): Record<FieldStatus, Record<FieldStatus, number>> => {
  const row = (): Record<FieldStatus, number> => ({ present: 0, empty: 0, missing: 0, malformed: 0 });
  return { present: row(), empty: row(), missing: row(), malformed: row() };
};
