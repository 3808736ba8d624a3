// e2e: the ledger's contract suite on another backend
import type { OpenLedger } from "../../ports/ledger-suite/test-kit.ts";
import { seededRandom } from "../../domain/testing/seeded-random.ts";
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import type { Blobs } from "../../ports/blobs.ts";
import { openChecked } from "../sqlite/open-checked.suite.ts";
import { openRemote } from "./open-remote.ts";
import { serveRemote } from "./remote-kit.suite.ts";

/** Time stands still while calls are on their way. */
const steadyMs = (): number => 0;
const random = seededRandom(1);
const blobs = { gatherMs: 1000 } as Blobs;

const open: OpenLedger = async (folder, options) => {
  const ledger = await openChecked(folder, options);
  const server = await serveRemote({ ledger, blobs }, { steadyMs, isLost: () => random() < 0.01 });
  const { ledger: remote } = await openRemote({ url: server.url, steadyMs });
  const close = async (): Promise<void> => {
    await remote.close();
    await server.close();
    await ledger.close();
  };
  return new Proxy(remote, { get: (target, name) => (name === "close" ? close : Reflect.get(target, name)) });
};

ledgerSuite("sqlite behind the remote ledger, which loses one answer in a hundred", open, {
  isRemote: true,
});
