// e2e: the blobs' contract suite on another backend
import { seededRandom } from "../../domain/testing/seeded-random.ts";
import { blobsSuite } from "../../ports/blobs.suite.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { openFiles } from "../files/open-files.ts";
import { openRemote } from "./open-remote.ts";
import { serveRemote } from "./remote-kit.suite.ts";

const random = seededRandom(1);

blobsSuite("files behind a controller, which loses one answer in a hundred", async (folder) => {
  const { url } = await serveRemote(
    { ledger: {} as Ledger, blobs: await openFiles(folder) },
    { isLost: () => random() < 0.01 },
  );
  return (await openRemote({ url })).blobs;
});
