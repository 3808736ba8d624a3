import { type Fault, FAULTS, faultOf } from "./faults.ts";
import { FIELDS, noticeOf } from "./notice.ts";
import { type Town, townsOf } from "./towns.ts";

/** What has to be reported for one town in the end. Made from what the pages are made of; shares no code with Sluice. */
export type Truth = {
  readonly path: string;
  readonly region: string;
  readonly town: string;
} & (
  | {
      readonly state: "done";
      readonly quality: "complete" | "partial";
      /** Null where the page has none, or no such line. */
      readonly values: Readonly<Record<string, string | null>>;
    }
  | { readonly state: "failed"; readonly fault: Fault; readonly kind: (typeof FAULTS)[Fault] }
);

export const truthOf = (towns: number): Truth[] => townsOf(towns).map(truthOfTown);

function truthOfTown(town: Town): Truth {
  const head = { path: town.path, region: town.region.name, town: `${town.name} (${town.code})` };
  const fault = faultOf(town);
  if (fault !== undefined) return { ...head, state: "failed", fault, kind: FAULTS[fault] };
  const notice = noticeOf(town);
  const lines = FIELDS.map((name) => [name, notice[name]] as const);
  return {
    ...head,
    state: "done",
    quality: lines.some(([, line]) => line.status === "missing") ? "partial" : "complete",
    values: Object.fromEntries(
      lines.map(([name, line]) => [name, line.status === "present" ? line.value : null]),
    ),
  };
}
