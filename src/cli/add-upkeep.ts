import type { Command } from "commander";
import type { BackupOptions } from "./commands/backup.ts";
import type { FsckOptions } from "./commands/fsck.ts";
import { lookOptions } from "./common-options.ts";

type OnEnd = (exitCode: number) => void;

const FSCK_HELP = `
Changes nothing without --repair, and may run while the service does. Exit code 6 when something is damaged.

Examples:
  sluice fsck
  sluice fsck --repair                    make indexes, manifests and counters again
  sluice fsck --json | jq 'select(.type == "problem")'`;

const BACKUP_HELP = `
The service may go on meanwhile. A second backup into the same folder copies only what is new; until it is complete, the one
before can be restored.

Examples:
  sluice backup /mnt/backup/sluice
  sluice restore /mnt/backup/sluice --data /srv/sluice`;

const REBUILD_HELP = `
For a ledger that is lost or damaged and of which there is no backup. Stop every Sluice process first. Jobs that had not ended are paused:
resumed, they fetch only what is not in the archive. Exit code 6 when something could not be recovered.

Examples:
  sluice rebuild --data /srv/sluice
  sluice resume last --data /srv/sluice`;

/** What keeps a data folder sound: `fsck`, `backup`, `restore`, `rebuild`. */
export const addUpkeep = (program: Command, onEnd: OnEnd): void => {
  const fsck = program
    .command("fsck")
    .summary("check the ledger and the archive for damage")
    .description("Checks the ledger and every stored object against their checksums, and against each other.")
    .option("--repair", "make again what can be: indexes, manifests, counters", false)
    .option("--drop-orphans", "with --repair: delete objects of jobs that the ledger does not know", false)
    .addHelpText("after", FSCK_HELP);
  lookOptions(fsck).action(async (options: FsckOptions) => {
    const { fsckCommand } = await import("./commands/fsck.ts");
    onEnd(await fsckCommand(options));
  });
  const backup = program
    .command("backup")
    .summary("copy the data folder while it is in use")
    .description(
      "Copies the ledger and the archive to another folder, as they are in one moment, and checks the copy.",
    )
    .argument("<folder>", "an empty folder, or one with an earlier backup")
    .addHelpText("after", BACKUP_HELP);
  lookOptions(backup).action(async (folder: string, options: BackupOptions) => {
    const { backupCommand } = await import("./commands/backup.ts");
    onEnd(await backupCommand(folder, options));
  });
  const restore = program
    .command("restore")
    .summary("make a data folder from a backup")
    .description(
      "Copies a backup to an empty data folder, and checks it. Run again, it finishes what was broken off.",
    )
    .argument("<folder>", "a folder that `sluice backup` wrote")
    .addHelpText("after", BACKUP_HELP);
  lookOptions(restore).action(async (folder: string, options: BackupOptions) => {
    const { restoreCommand } = await import("./commands/backup.ts");
    onEnd(await restoreCommand(folder, options));
  });
  const rebuild = program
    .command("rebuild")
    .summary("make a lost ledger again from the archive")
    .description(
      "Makes the ledger of a data folder again from what its archive has of every job. Run again, it begins anew after being broken off.",
    )
    .addHelpText("after", REBUILD_HELP);
  lookOptions(rebuild).action(async (options: BackupOptions) => {
    const { rebuildCommand } = await import("./commands/rebuild.ts");
    onEnd(await rebuildCommand(options));
  });
};
