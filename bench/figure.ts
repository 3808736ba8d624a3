/** One line of the bench: a measured value, what it is compared with, and its goal. */
export interface Figure {
  readonly figure: string;
  readonly value: number;
  /** What `value` counts: "ratio" is Sluice's speed ÷ the other's unless `note` says otherwise. */
  readonly unit:
    | "ratio"
    | "share"
    | "items"
    | "items/s"
    | "requests/s"
    | "calls/s"
    | "MB"
    | "s"
    | "CPU-s"
    | "ms";
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
  readonly rounds: number;
  /** The measurements behind the value, all from the same run. */
  readonly from: Readonly<Record<string, unknown>>;
  readonly note: string;
}

export const isMet = ({ value, goal }: Figure): boolean | undefined => {
  if (goal === undefined) return undefined;
  return "atLeast" in goal ? value >= goal.atLeast : value <= goal.atMost;
};

export const figureLine = (figure: Figure): string => {
  const met = isMet(figure);
  return JSON.stringify({ ...figure, ...(met !== undefined && { met }) });
};
