import { openBlobs } from "../../compose.ts";
import { openLedgerTables, openLedgerTarget } from "../../compose-tables.ts";
import { copyBlobs, type CopiedBlobs } from "../../integrity/copy-blobs.ts";
import { migrateLedger, refuseRunning, type MovedLedger, type MoveTools } from "../../integrity/migrate.ts";
import type { StorageLocation } from "../../ports/storage.ts";
import { EXIT, UsageError } from "../exit.ts";
import type { DataOptions } from "../options.ts";
import { noteChange } from "../service/audit-local.ts";
import { print, throttled } from "../terminal.ts";
import { bytesText, counted, countText, durationText } from "../text.ts";

export interface MigrateOptions extends DataOptions {
  readonly from?: string;
  readonly to?: string;
  readonly blobsFrom?: string;
  readonly blobsTo?: string;
  readonly verify: boolean;
}

const PROGRESS_MS = 5_000;

export const migrateCommand = async (options: MigrateOptions): Promise<number> => {
  const { location, json, to, blobsTo } = options;
  const [from, blobsFrom] = [options.from ?? location.ledger, options.blobsFrom ?? location.blobs];
  if (to === undefined && blobsTo === undefined)
    throw new UsageError("Expected --to URL for the ledger, --blobs-to URL for the archive, or both.");
  if (options.from !== undefined && to === undefined)
    throw new UsageError("--from needs --to, the URL to copy the ledger to.");
  if (options.blobsFrom !== undefined && blobsTo === undefined)
    throw new UsageError("--blobs-from needs --blobs-to, the URL to copy the archive to.");
  const startedAt = performance.now();
  const moveBlobs = async (): Promise<CopiedBlobs | undefined> =>
    blobsTo === undefined ? undefined : await copyArchive(location, blobsFrom, blobsTo, options);
  let blobs: CopiedBlobs | undefined;
  let ledger: (MovedLedger & Places) | undefined;
  if (to === undefined) {
    await using source = await openLedgerTables(from);
    await refuseRunning(source, onWait(json));
    blobs = await moveBlobs();
  } else {
    await using source = await openLedgerTables(from);
    await using target = await openLedgerTarget(to);
    const moved = await migrateLedger(source, target, {
      onProgress: ledgerProgress(json),
      onWait: onWait(json),
      beforeFinish: async () => void (blobs = await moveBlobs()),
    });
    if (!moved.isNew) blobs = await moveBlobs();
    ledger = { ...moved, from: source.shown, to: target.shown };
  }
  if (to !== undefined && ledger?.isNew)
    await noteChange(
      { data: location.data, ledger: to, blobs: blobsTo ?? blobsFrom },
      { action: "migrate", target: ledger.from },
    );
  const ms = Math.round(performance.now() - startedAt);
  print(json ? [JSON.stringify({ ledger, blobs, ms })] : report({ ledger, blobs, ms }, options));
  return EXIT.ok;
};

interface Places {
  readonly from: string;
  readonly to: string;
}

const copyArchive = async (
  location: StorageLocation,
  from: string,
  to: string,
  { verify, json }: MigrateOptions,
): Promise<CopiedBlobs> => {
  const open = (blobs: string) => openBlobs({ ...location, blobs });
  return await copyBlobs(await open(from), await open(to), {
    verify,
    onProgress: throttled(PROGRESS_MS, (copied, of) => {
      if (!json)
        process.stderr.write(
          `${countText(copied.objects)} of ${counted(of.objects, "object")} (${bytesText(copied.bytes)} of ${bytesText(of.bytes)}) copied so far\n`,
        );
    }),
  });
};

const ledgerProgress = (json: boolean): NonNullable<MoveTools["onProgress"]> =>
  throttled(PROGRESS_MS, ({ step, table, rows, of }) => {
    if (!json) process.stderr.write(`${table}: ${countText(rows)} of ${counted(of, "row")} ${step}\n`);
  });

const onWait =
  (json: boolean): NonNullable<MoveTools["onWait"]> =>
  ({ name }, ledger) => {
    if (!json) process.stderr.write(`${ledger}: waiting until ${name} no longer counts as running\n`);
  };

interface Moved {
  readonly ledger: (MovedLedger & Places) | undefined;
  readonly blobs: CopiedBlobs | undefined;
  readonly ms: number;
}

const report = ({ ledger, blobs, ms }: Moved, { to, blobsTo }: MigrateOptions): string[] => {
  const lines: string[] = [];
  if (ledger) {
    const filled = ledger.tables.filter(({ rows }) => rows > 0);
    const rows = filled.reduce((sum, table) => sum + table.rows, 0);
    const width = Math.max(...filled.map(({ name }) => name.length));
    lines.push(
      ...filled.map(
        ({ name, rows: n, digest }) =>
          `${name.padEnd(width)}  ${countText(n).padStart(12)} rows  sha256 ${digest.slice(0, 16)} on both sides`,
      ),
      ledger.isNew
        ? `Ledger: ${counted(rows, "row")} of ${counted(filled.length, "table")} moved from ${ledger.from} to ${ledger.to}, ${countText(ledger.kept)} of them copied earlier. Counts and digests are equal.`
        : `Ledger: ${ledger.to} already has all ${counted(rows, "row")} of ${ledger.from}. Nothing was changed.`,
    );
  }
  if (blobs)
    lines.push(
      `Archive: ${counted(blobs.objects, "object")} (${bytesText(blobs.bytes)}), ${countText(blobs.kept)} of them copied earlier, ${countText(blobs.verified)} read back and compared.`,
    );
  const settings = [
    ...(to === undefined ? [] : ["`ledger` (or SLUICE_LEDGER) to the URL of --to"]),
    ...(blobsTo === undefined ? [] : ["`blobs` (or SLUICE_BLOBS) to the URL of --blobs-to"]),
  ];
  return [
    ...lines,
    `Done in ${durationText(ms)}. To switch, set ${settings.join(" and ")} in sluice.config.ts on all machines, then start the services. The source is unchanged: keep it until you have checked the new one, and start nothing on it.`,
  ];
};
