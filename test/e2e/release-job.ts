import { collectJob } from "../../src/api/testing/collected-job.ts";
import { sampleView } from "../../src/cli/testing/sample-view.ts";
import { LOCAL_CLIENT } from "../../src/domain/client.ts";
import { jobId } from "../../src/domain/job.ts";
import type { Storage } from "../../src/ports/storage.ts";

type RecordOf = (n: number) => Readonly<Record<string, unknown>>;

/** A job of the scraper `town` that has ended, with a record for each of its items. */
export const endTownJob = async (
  storage: Pick<Storage, "ledger" | "blobs">,
  count: number,
  recordOf: RecordOf = (n) => ({ owner: `Owner ${n}`, tax: n }),
): Promise<string> => {
  const { ledger } = storage;
  const id = jobId(new Date());
  const pace = { perSecond: Infinity, burst: 1, concurrency: count };
  const [pinned] = sampleView().spec.scrapers;
  const own = { name: "town", extracts: true, fields: ["owner", "tax"], required: [] };
  await ledger.createJob(
    sampleView({
      spec: {
        ...own,
        id,
        pace,
        client: LOCAL_CLIENT,
        scraper: "town",
        scrapers: [{ ...pinned!, ...own, pace }],
      },
    }).spec,
  );
  for (let from = 0; from < count; from += 1000) {
    const numbers = Array.from({ length: Math.min(1000, count - from) }, (_, n) => from + n);
    await ledger.addItems(
      id,
      numbers.map((n) => ({ key: String(n), input: "{}", lane: "town.example" })),
      [],
    );
  }
  await ledger.sealJob(id);
  await collectJob(storage, id, ({ key }) => ({ body: "<p>page</p>", record: recordOf(Number(key)) }));
  return id;
};
