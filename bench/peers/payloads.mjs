/** What the queues of others carry, in lists of so many as they like to be given at once. */
export const payloads = function* (items, size = 5_000) {
  for (let from = 0; from < items; from += size)
    yield Array.from({ length: Math.min(size, items - from) }, (_, i) => {
      const seq = from + i + 1;
      return { queue: 1, seq, key: `https://bench.example/parcel/${seq}` };
    });
};
