import { ITEM_STATES, type ItemState, type ItemView } from "../../src/domain/item.ts";
import { type Ledger, LedgerError } from "../../src/ports/ledger.ts";

type Reads = Pick<Ledger, "listItems" | "listJobs" | "listWorkers" | "readJob" | "listLanes">;

/** What a ledger says of all that it has, as JSON says it: what cannot be read by its error. */
export const viewsOf = async (ledger: Reads, now: number): Promise<Record<string, unknown>> => {
  const jobs: Record<string, unknown> = {};
  for (const { spec } of await ledger.listJobs({ limit: 200 })) {
    const keys: Partial<Record<ItemState, string[]>> = {};
    for (const state of ITEM_STATES)
      keys[state] = await orError(async () =>
        (await allItems(ledger, spec.id, [state])).map(({ key }) => key),
      );
    jobs[spec.id] = {
      view: await orError(() => ledger.readJob(spec.id)),
      items: await orError(() => allItems(ledger, spec.id)),
      keys,
    };
  }
  // Without the figures that older versions did not have.
  const lanes = (await ledger.listLanes({ limit: 200 })).map(
    ({ usedPerSecond: _used, heldJobs: _held, ...lane }) => lane,
  );
  const views = { now, jobs, lanes, workers: await ledger.listWorkers() };
  return JSON.parse(
    JSON.stringify(views, (_, value: unknown) => (value === Infinity ? "Infinity" : value)),
  ) as never;
};

const orError = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    // The code, not the sentence: sentences may change.
    return (error instanceof LedgerError ? `LedgerError: ${error.code}` : String(error)) as T;
  }
};

const allItems = async (ledger: Reads, job: string, states?: readonly ItemState[]): Promise<ItemView[]> => {
  const items: ItemView[] = [];
  for (let after: ItemView["ref"] | undefined; ;) {
    const page = await ledger.listItems(job, {
      limit: 100,
      ...(after && { after }),
      ...(states && { states }),
    });
    items.push(...page.items);
    if (!page.next) return items;
    after = page.next;
  }
};
