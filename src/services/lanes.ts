import type { LaneState } from "../domain/job.ts";
import { isAddressLane } from "../domain/lane-name.ts";
import type { LaneControl } from "../ports/ledger.ts";
import { type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";

type Lanes = Pick<ServiceContext, "ledger">;

const LAST = "\u{10ffff}";

/** A text just before the name in list order, so that the next lane of the list is the one with this name. */
const laneBefore = (name: string): string => {
  const last = name.codePointAt(name.length - 1) ?? 0;
  return last === 0 ? name.slice(0, -1) : `${name.slice(0, -1)}${String.fromCodePoint(last - 1)}${LAST}`;
};

export const findLane = async ({ ledger }: Lanes, name: string): Promise<LaneState> => {
  const [found] = await ledger.listLanes({ after: laneBefore(name), limit: 1 });
  if (found?.lane === name) return found;
  throw new Problem(
    "not-found",
    `${shown(name)}: no such lane. A lane exists from its first item on; \`sluice lanes ls\` lists them.`,
  );
};

/** By name. The cost is that of one page, however many lanes there are. */
export const listLanes = async (
  { ledger }: Lanes,
  {
    prefix = "",
    isHeld = false,
    after,
    limit,
  }: { readonly prefix?: string; readonly isHeld?: boolean; readonly after?: string; readonly limit: number },
): Promise<{ readonly lanes: readonly LaneState[]; readonly next: string | undefined }> => {
  const from = after ?? (prefix === "" ? undefined : laneBefore(prefix));
  const found = await ledger.listLanes({ limit, isHeld, ...(from !== undefined && { after: from }) });
  const lanes = found.filter(({ lane }) => lane.startsWith(prefix));
  return { lanes, next: lanes.length < limit ? undefined : lanes.at(-1)?.lane };
};

/** An address may get a limit before anyone has sent it a request. */
export const controlLane = async (context: Lanes, lane: string, to: LaneControl): Promise<void> => {
  if (!isAddressLane(lane)) await findLane(context, lane);
  await context.ledger.controlLane(lane, to);
};
