import type { ItemView } from "../model/item.ts";
import type { JobView } from "../model/job.ts";
import { ArchiveError } from "../archive/archive-error.ts";
import { viewOf } from "../reextract/current-view.ts";
import { readSets } from "../reextract/job-sets.ts";
import type { StoredExtraction } from "../reextract/stored-extraction.ts";
import type { Who } from "./api.ts";
import { isAtLeast } from "./auth.ts";
import type { ControllerHouse } from "./house.ts";
import { itemRef } from "./item-view.ts";
import type { JobWatch } from "./job-watch.ts";
import { jobView } from "./job-view.ts";
import type { KeyDoor } from "./key-door.ts";
import { Problem } from "./problem.ts";
import type { ApiJob } from "./schemas/job.ts";

/** What the routes share. */
export class Desk {
  readonly house: ControllerHouse;
  readonly watch: JobWatch;
  readonly keys: KeyDoor;
  readonly now: () => number;

  constructor(house: ControllerHouse, watch: JobWatch, keys: KeyDoor, now: () => number) {
    this.house = house;
    this.watch = watch;
    this.keys = keys;
    this.now = now;
  }

  /** Another client's job is as unknown as one that never was. */
  async findJob(who: Who, id: string): Promise<JobView> {
    const view = await this.house.ledger.readJob(id);
    if (view && (view.spec.client === who.client || isAtLeast(who.role, "operator"))) return view;
    throw new Problem("not-found", `${shown(id)}: no such job.`);
  }

  async findItem(who: Who, job: string, id: string): Promise<ItemView> {
    await this.findJob(who, job);
    const ref = itemRef(id);
    const page =
      ref && (await this.house.ledger.listItems(job, { after: { ...ref, seq: ref.seq - 1 }, limit: 1 }));
    const item = page?.items[0];
    if (item && ref && item.ref.queue === ref.queue && item.ref.seq === ref.seq)
      return await this.withSource(item);
    throw new Problem("not-found", `${shown(id)}: the job has no such item.`);
  }

  /** An item that was answered from the archive shows what it was answered with, whoever fetched that. */
  async withSource(item: ItemView): Promise<ItemView> {
    const from = item.skipped?.from;
    if (from === undefined || item.captures.length > 0) return item;
    const { items } = await this.house.ledger.listItems(from.job, {
      after: { queue: from.queue, seq: from.seq - 1 },
      limit: 1,
    });
    const source = items.find(({ ref }) => ref.queue === from.queue && ref.seq === from.seq);
    return source ? { ...item, captures: source.captures, records: source.records } : item;
  }

  show(view: JobView): ApiJob {
    return jobView(view, this.watch.rateOf(view), this.now());
  }

  /** As its current set of records has it, where that is known from counts alone. */
  async showCurrent(view: JobView): Promise<ApiJob> {
    const current = await this.#currentOf(view);
    const now = current && viewOf(view, current);
    return now ? { ...this.show(now), extraction: current.id } : this.show(view);
  }

  /** A job is shown also where a description of its records is damaged: asking for the records tells of it. */
  async #currentOf({ spec }: JobView): Promise<StoredExtraction | undefined> {
    try {
      return (await readSets(this.house.blobs, spec.id)).current;
    } catch (error) {
      if (error instanceof ArchiveError) return undefined;
      throw error;
    }
  }

  /** As it is after something was done to it. */
  async showNow(id: string): Promise<ApiJob> {
    const view = await this.house.ledger.readJob(id);
    if (!view) throw new Problem("not-found", `${shown(id)}: no such job.`);
    return this.show(view);
  }
}

/** Names come from outside and may be anything. */
export const shown = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);
