import type { Town } from "./towns.ts";

/** Pages that always fail. */
export const FAULTS = {
  /** Cut off in the middle of its head. */
  cut: "structure-changed",
  /** The town's own portal in place of the site's page. */
  portal: "structure-changed",
  /** Linked, and not there: 404. */
  gone: "navigation",
  /** 500, always. */
  error: "server-error",
} as const;

export type Fault = keyof typeof FAULTS;

const NAMES = Object.keys(FAULTS) as Fault[];

/** About one town in a hundred, spread over the country. */
export const faultOf = ({ n }: Town): Fault | undefined => NAMES[(n % 389) - 40];
