import {
  type BadCount,
  type CanaryVerdict,
  DEFAULT_CANARY,
  judgeCanary,
  newCanary,
  observe,
} from "../canary.ts";
import { seededRandom } from "./seeded-random.ts";

interface Simulation {
  readonly seed: number;
  /** How often one field is bad in the canary; all others, and this one in the present version, are in 2 %. */
  readonly badShare: number;
  readonly mostItems?: number;
}

const FIELDS = Array.from({ length: 10 }, (_, n) => `f${n}`);
const USUAL = 0.02;
const PER_CANARY = 9;

/** One canary of ten fields, judged after every item until there is a verdict. It is never promoted: being looked at longest is the hardest test. */
export const simulateCanary = ({
  seed,
  badShare,
  mostItems = DEFAULT_CANARY.mostItems,
}: Simulation): { readonly verdict: CanaryVerdict["verdict"]; readonly items: number } => {
  const random = seededRandom(seed * 7919);
  const rule = { fields: FIELDS, required: FIELDS, share: 0.1, ...DEFAULT_CANARY, tolerance: 0, mostItems };
  const some = (items: number, share: number): BadCount => {
    let bad = 0;
    for (let n = 0; n < items; n++) if (random() < share) bad++;
    return [items, bad];
  };
  for (let state = newCanary(); ;) {
    const canary = FIELDS.map((name, at) => [name, some(1, at === 0 ? badShare : USUAL)] as const);
    const control = FIELDS.map((name) => [name, some(PER_CANARY, USUAL)] as const);
    const counts = {
      canary: { items: 1, fields: Object.fromEntries(canary) },
      control: { items: PER_CANARY, fields: Object.fromEntries(control) },
    };
    state = observe(state, counts, rule, random);
    const { verdict } = judgeCanary(state, rule);
    if (verdict !== "going") return { verdict, items: state.items };
  }
};
