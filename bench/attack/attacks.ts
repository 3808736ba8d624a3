import type { Attack } from "./attack.ts";
import { CLOCK } from "./attacks/clock.ts";
import { DAMAGE } from "./attacks/damage.ts";
import { KEEPING } from "./attacks/keeping.ts";
import { LANES } from "./attacks/lanes.ts";
import { OWN_TROUBLE } from "./attacks/own-trouble.ts";
import { READING } from "./attacks/reading.ts";
import { SENDING } from "./attacks/sending.ts";
import { UNAUTHENTICATED } from "./attacks/unauthenticated.ts";

export const ATTACKS: readonly Attack[] = [
  {
    name: "nobody attacks",
    async run() {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return undefined;
    },
  },
  ...READING,
  ...SENDING,
  ...UNAUTHENTICATED,
  ...LANES,
  ...KEEPING,
  ...DAMAGE,
  ...CLOCK,
  ...OWN_TROUBLE,
];
