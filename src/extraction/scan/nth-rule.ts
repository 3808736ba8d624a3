/** Whether an element is meant by an `an+b` rule, by how many siblings stand before it. */
interface NthRule {
  matches(before: number): boolean;
  /** `n` and the like: as css-select has it, they mean every element but the outermost ones. */
  readonly isEvery: boolean;
}

/** Undefined for what is not plainly `an+b`, such as `2 of .row`. */
export function parseNth(formula: string): NthRule | undefined {
  const text = formula.trim().toLowerCase();
  if (text === "even") return nthRule(2, 0);
  if (text === "odd") return nthRule(2, 1);
  if (/^[+-]?\d+$/.test(text)) return nthRule(0, Number(text));
  const parts = /^([+-]?)(\d*)n(?:[ \t\r\n\f]*([+-])[ \t\r\n\f]*(\d+))?$/.exec(text);
  if (parts === null) return undefined;
  const [, stepSign, step = "", offsetSign, offset = "0"] = parts;
  return nthRule(signed(stepSign, step === "" ? "1" : step), signed(offsetSign, offset));
}

const signed = (sign: string | undefined, digits: string): number =>
  sign === "-" ? -Number(digits) : Number(digits);

function nthRule(step: number, offset: number): NthRule {
  return {
    isEvery: step === 1 && offset <= 0,
    matches(before) {
      const past = before + 1 - offset;
      if (step === 0) return past === 0;
      return past % step === 0 && past / step >= 0;
    },
  };
}
