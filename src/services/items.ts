import { findItemRecords, withSource } from "../export/export-rows.ts";
import type { CaptureRef } from "../domain/capture.ts";
import type { ItemRef, ItemView } from "../domain/item.ts";
import type { ItemRecords } from "../schemas/item.ts";
import type { Retry } from "../schemas/job.ts";
import { type Actor, type ServiceContext, shown } from "./context.ts";
import { findJob, refuseCancelled } from "./jobs.ts";
import { Problem } from "./problem.ts";

export const itemId = ({ queue, seq }: ItemRef): string => `${queue}-${seq}`;

/** Undefined if the text is not an item id. */
const itemRef = (id: string): ItemRef | undefined => {
  const [, queue, seq] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
  return queue === undefined || seq === undefined ? undefined : { queue: Number(queue), seq: Number(seq) };
};

type Items = Pick<ServiceContext, "ledger">;

/** With the captures and records of the item that it was answered with, if it was skipped as fresh. */
export const findItem = async (context: Items, actor: Actor, job: string, id: string): Promise<ItemView> => {
  await findJob(context, actor, job);
  const ref = itemRef(id);
  const page =
    ref && (await context.ledger.listItems(job, { after: { ...ref, seq: ref.seq - 1 }, limit: 1 }));
  const item = page?.items[0];
  if (item && ref && item.ref.queue === ref.queue && item.ref.seq === ref.seq)
    return await withSource(context.ledger, item);
  throw new Problem("not-found", `${shown(id)}: the job has no such item.`);
};

export const findCapture = async (
  context: Items,
  actor: Actor,
  { job, item, number }: { readonly job: string; readonly item: string; readonly number: number },
): Promise<CaptureRef> => {
  const ref = (await findItem(context, actor, job, item)).captures[number];
  if (ref) return ref;
  throw new Problem("not-found", `The item has no capture ${number}.`);
};

/** The item's records in the job's current set. */
export const readItemRecords = async (
  { ledger, blobs }: Pick<ServiceContext, "ledger" | "blobs">,
  job: string,
  item: ItemView,
): Promise<ItemRecords & { readonly item: ItemView }> => {
  const found = await findItemRecords({ ledger, blobs }, job, item);
  return {
    item: found.item,
    extraction: found.set.slice(found.set.indexOf("@") + 1),
    data: found.records.map(({ from, quality, fields }) => ({
      ...(from !== undefined && { from }),
      quality,
      fields,
    })),
  };
};

/** Tries failed items again: all of them, or those with these kinds, keys or ids. */
export const retryItems = async (
  context: Items,
  actor: Actor,
  job: string,
  { kinds, keys, items }: Retry,
): Promise<number> => {
  refuseCancelled(await findJob(context, actor, job));
  const names = [...(keys ?? [])];
  for (const id of items ?? []) names.push((await findItem(context, actor, job, id)).key);
  const isNamed = keys !== undefined || items !== undefined;
  return await context.ledger.retryItems(job, { ...(kinds && { kinds }), ...(isNamed && { keys: names }) });
};
