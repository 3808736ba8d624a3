import { writeManifest } from "../../archive/manifest.ts";
import { lookAtLedger, openBlobs, openLedger, openStorage, repairCounters } from "../../compose.ts";
import { ledgerFile } from "../../config/storage-location.ts";
import { indexOf } from "../../integrity/check-objects.ts";
import { Fsck, type FsckCounts } from "../../integrity/fsck.ts";
import { removeAll } from "../../ports/blobs.ts";
import type { Damage } from "../../ports/ledger-check.ts";
import { LedgerError } from "../../ports/ledger.ts";
import type { StorageLocation } from "../../ports/storage.ts";
import { mustExist } from "../existing-storage.ts";
import { EXIT, UsageError } from "../exit.ts";
import type { DataOptions } from "../options.ts";
import { auditedIn } from "../service/audit-local.ts";
import { print, throttled } from "../terminal.ts";
import { bytesText, counted, countText } from "../text.ts";

export interface FsckOptions extends DataOptions {
  readonly repair: boolean;
  readonly dropOrphans: boolean;
}

const PROGRESS_MS = 5_000;

export const fsckCommand = async (options: FsckOptions): Promise<number> => {
  const { location, repair, dropOrphans } = options;
  mustExist(location);
  if (dropOrphans && !repair) throw new UsageError("--drop-orphans needs --repair. Use both.");
  if (!repair) return await check(options);
  return await auditedIn(location, { action: "fsck", detail: { repair, dropOrphans } }, () => check(options));
};

const check = async ({ location, repair, dropOrphans, json }: FsckOptions): Promise<number> => {
  const file = ledgerFile(location);
  const blobs = await openBlobs(location);
  const look = await lookAtLedger(file);
  const orphans: string[] = [];
  const fsck = new Fsck(
    { look, blobs, openLedger: () => openLedger(file) },
    {
      onProgress: throttled(PROGRESS_MS, ({ objects, bytes }) => {
        if (!json)
          process.stderr.write(`${counted(objects, "object")} (${bytesText(bytes)}) checked so far\n`);
      }),
      ...(dropOrphans && { onOrphan: (name: string) => void orphans.push(name) }),
    },
  );
  const found: Damage[] = [];
  let problems = 0;
  for await (const damage of fsck.run()) {
    problems++;
    if (damage.repair) found.push(damage);
    print([json ? JSON.stringify({ type: "problem", ...damage }) : lineOf(damage)]);
  }
  let repaired = 0;
  if (repair) {
    const refused = new Set<string>();
    for (const damage of found) {
      const { repair: how, job = "" } = damage;
      if (how === "counters" && refused.has(job)) continue;
      try {
        repaired += await repairOne(location, damage);
      } catch (error) {
        if (!(error instanceof LedgerError) || error.code !== "damaged-row") throw error;
        refused.add(job);
        process.stderr.write(`${error.message}\n`);
      }
    }
    await removeAll(blobs, orphans);
  }
  const { counts } = fsck;
  if (json)
    print([JSON.stringify({ type: "summary", problems, repaired, dropped: orphans.length, ...counts })]);
  else print(summary(counts, problems, repaired, orphans.length));
  return problems > repaired ? EXIT.storage : EXIT.ok;
};

const repairOne = async (location: StorageLocation, damage: Damage): Promise<number> => {
  const { repair, where, job } = damage;
  if (repair === "index") {
    const blobs = await openBlobs(location);
    const index = await indexOf(blobs, where.slice(0, -".cdxj".length));
    if (index) await blobs.put(where, index);
    return index ? 1 : 0;
  }
  if (job === undefined) return 0;
  if (repair === "counters") await repairCounters(ledgerFile(location), job);
  else {
    await using storage = await openStorage(location);
    await writeManifest(storage, job);
  }
  return 1;
};

const lineOf = ({ what, where, problem, repair, advice }: Damage): string =>
  `${what}: ${where}: ${problem}. To fix it, ${repair ? "run `sluice fsck --repair`" : (advice ?? "restore it from a backup")}.`;

const summary = (counts: FsckCounts, problems: number, repaired: number, dropped: number): string[] => {
  const { jobs, objects, bytes, unverified, orphans, orphanBytes } = counts;
  const lines = [
    `${counted(jobs, "job")} and ${counted(objects, "object")} (${bytesText(bytes)}) checked: ${
      problems === 0 ? "no problems" : counted(problems, "problem")
    }${repaired > 0 ? `, ${countText(repaired)} repaired` : ""}`,
  ];
  if (unverified > 0)
    lines.push(
      `The records of ${counted(unverified, "item")} have no checksum, because an older version wrote them.`,
    );
  if (orphans > 0)
    lines.push(
      dropped > 0
        ? `Deleted ${counted(dropped, "object")} (${bytesText(orphanBytes)}) of jobs that are not in the ledger`
        : `${counted(orphans, "object")} (${bytesText(orphanBytes)}) belong to jobs that are not in the ledger. \`--repair --drop-orphans\` deletes them.`,
    );
  return lines;
};
