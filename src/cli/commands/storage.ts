import type { Command } from "commander";
import { dataOptions, lazy, type ToAction } from "../options.ts";

const FSCK_HELP = `
Changes nothing without --repair. Safe to run while the server runs. Exits with code 6 if something is damaged.

Examples:
  sluice fsck
  sluice fsck --repair                    rebuild indexes, manifests and counters
  sluice fsck --json | jq 'select(.type == "problem")'`;

const BACKUP_HELP = `
The server can keep running. Another backup to the same folder copies only what is new; until it is complete, the previous
backup can be restored.

Examples:
  sluice backup /mnt/backup/sluice
  sluice restore /mnt/backup/sluice --data /srv/sluice`;

const REBUILD_HELP = `
For a ledger that is lost or damaged, when there is no backup. First stop all Sluice processes. Unfinished jobs are paused;
when resumed, they fetch only what is not in the archive. Exits with code 6 if something could not be recovered.

Examples:
  sluice rebuild --data /srv/sluice
  sluice resume last --data /srv/sluice`;

/** Check and copy a data folder: `fsck`, `backup`, `restore`, `rebuild`. */
export const register = (program: Command, toAction: ToAction): void => {
  const fsck = program
    .command("fsck")
    .summary("Check the ledger and the archive for damage")
    .description("Check the ledger and all stored objects against their checksums and against each other")
    .option("--repair", "rebuild what can be rebuilt: indexes, manifests, counters", false)
    .option("--drop-orphans", "with --repair: delete objects of jobs that are not in the ledger", false)
    .addHelpText("after", FSCK_HELP);
  dataOptions(fsck).action(toAction(lazy(async () => (await import("../actions/fsck.ts")).fsckCommand)));

  const backup = program
    .command("backup")
    .summary("Copy the data folder while it is in use")
    .description(
      "Copy a consistent snapshot of the ledger and the archive to another folder, and verify the copy",
    )
    .argument("<folder>", "an empty folder, or one with an earlier backup")
    .addHelpText("after", BACKUP_HELP);
  dataOptions(backup).action(
    toAction(lazy(async () => (await import("../actions/backup.ts")).backupCommand)),
  );

  const restore = program
    .command("restore")
    .summary("Restore a data folder from a backup")
    .description(
      "Copy a backup to an empty data folder, and verify it. If interrupted, run it again to finish.",
    )
    .argument("<folder>", "a folder written by `sluice backup`")
    .addHelpText("after", BACKUP_HELP);
  dataOptions(restore).action(
    toAction(lazy(async () => (await import("../actions/backup.ts")).restoreCommand)),
  );

  const rebuild = program
    .command("rebuild")
    .summary("Rebuild a lost ledger from the archive")
    .description(
      "Rebuild the ledger of a data folder from its archive. If interrupted, run it again to start over.",
    )
    .addHelpText("after", REBUILD_HELP);
  dataOptions(rebuild).action(
    toAction(lazy(async () => (await import("../actions/backup.ts")).rebuildCommand)),
  );
};
