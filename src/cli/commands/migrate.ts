import { type Command } from "commander";
import { dataOptions, lazy, type ToAction } from "../options.ts";

const HELP = `
First stop all workers and controllers: the command refuses while something runs. The source is only read. Every row is read back
and compared by count and digest; until then, services refuse to start on the target. If interrupted, run the same command again
to continue. When repeated after it has finished, it changes nothing.

PostgreSQL takes the password from PGPASSWORD or ~/.pgpass if the URL has none.

Examples:
  sluice migrate --to postgres://sluice@db.example.org/sluice
  sluice migrate --to postgres://sluice@db.example.org/sluice --blobs-to s3://pages/sluice
  sluice migrate --from sqlite:old/sluice.db --to postgres://db/sluice --blobs-from file:old/blobs --blobs-to file:/srv/blobs --verify
  sluice migrate --from postgres://db/sluice --to sqlite:data/sluice.db`;

/** Move an installation to other storage. */
export const register = (program: Command, toAction: ToAction): void => {
  const migrate = program
    .command("migrate")
    .summary("Move ledger and archive to other storage")
    .description(
      "Copy the ledger, the archive or both to other storage while nothing runs, and check the copy",
    )
    .option("--from <url>", "ledger to copy: sqlite:FILE or postgres://… (default: the configured one)")
    .option("--to <url>", "where to copy it: an empty database, or a ledger file that does not exist")
    .option(
      "--blobs-from <url>",
      "archive to copy: file:FOLDER or s3://BUCKET/PREFIX (default: the configured one)",
    )
    .option("--blobs-to <url>", "where to copy it: an empty folder or prefix")
    .option("--verify", "read every copied object back and compare it, not only a sample", false)
    .addHelpText("after", HELP);
  dataOptions(migrate).action(
    toAction(lazy(async () => (await import("../actions/migrate.ts")).migrateCommand)),
  );
};
