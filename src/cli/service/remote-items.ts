import { buffer } from "node:stream/consumers";
import type { Item, SluiceClient } from "../../client.ts";
import { attemptsOf, type ShownCapture, type ShownItem } from "./verbs.ts";

/** Items with this key, of any scraper of the job. */
export const remoteItems = async (client: SluiceClient, job: string, key: string): Promise<ShownItem[]> => {
  const { data } = await client.listItems(job, { key: [key], limit: 100 });
  return await Promise.all(data.map((item) => show(client, job, item)));
};

const show = async (client: SluiceClient, job: string, item: Item): Promise<ShownItem> => {
  const { extraction, data } = await client.listItemRecords(job, item.id);
  const { key, scraper, lane, parent, input, state, quality, change, failure, reason, lastAttempt } = item;
  const heads = await Promise.all(
    item.captures.map(({ number }) =>
      client.getCaptureHeaders(job, item.id, number).catch((error: Error) => error),
    ),
  );
  return {
    key,
    scraper,
    lane,
    input,
    state,
    ...(parent !== undefined && { parent }),
    ...(quality && { quality }),
    ...(change && { change }),
    ...(failure && { failure }),
    ...(reason !== undefined && { skipReason: reason }),
    ...(item.dueAt !== undefined && { dueAt: Date.parse(item.dueAt) }),
    ...(item.endedAt !== undefined && { endedAt: Date.parse(item.endedAt) }),
    attemptCount: item.attempts,
    attempts: attemptsOf(
      state,
      item.history.map((past) => ({ ...past, at: Date.parse(past.at) })),
      lastAttempt && { ...lastAttempt, at: Date.parse(lastAttempt.at) },
    ),
    captures: item.captures.map((capture, at): ShownCapture => {
      const head = heads[at]!;
      return { ...capture, ...(head instanceof Error ? { problem: head.message } : { status: head.status }) };
    }),
    extraction,
    records: data,
    async read(number) {
      const { url, status, headers } = await client.getCaptureHeaders(job, item.id, number);
      const body = await buffer(await client.getCapture(job, item.id, number));
      // `fetch` undoes the content coding.
      const plain = headers.filter(({ name }) => name.toLowerCase() !== "content-encoding");
      return { url, status, body, headers: plain.map(({ name, value }) => [name, value] as const) };
    },
  };
};
