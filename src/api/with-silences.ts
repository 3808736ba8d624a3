import { setTimeout as delay } from "node:timers/promises";

/** The batches as they come, and an empty one each time that none has come for so long. */
export async function* withSilences<Row>(
  batches: AsyncIterable<readonly Row[]>,
  silenceMs: number,
): AsyncGenerator<readonly Row[]> {
  const source = batches[Symbol.asyncIterator]();
  try {
    let next = source.next();
    for (;;) {
      const came = await inTime(next, silenceMs);
      if (came === undefined) yield [];
      else if (came.done === true) return;
      else {
        yield came.value;
        next = source.next();
      }
    }
  } finally {
    // Not awaited: one that is silent would keep its reader until it speaks.
    source.return?.().catch(() => undefined);
  }
}

const inTime = async <Result>(pending: Promise<Result>, ms: number): Promise<Result | undefined> => {
  const over = new AbortController();
  try {
    return await Promise.race([
      pending,
      delay(ms, undefined, { signal: over.signal }).catch(() => undefined),
    ]);
  } finally {
    over.abort();
  }
};
