import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";

export const BUCKET = "pages";
/** The store's address, for processes that a test starts. */
const ENDPOINT = "SLUICE_TEST_S3";
const BINARIES = ["ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph", "ceph-authtool", "monmaptool"];
const run = promisify(execFile);
const POLL_MS = 50;
const PATIENCE_MS = 180_000;

/** Why there is no S3 store to test with; undefined if there is one. */
export const noRadosgw = (): string | undefined => {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const missing = BINARIES.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing.length === 0
    ? undefined
    : `no S3 store: ${missing.join(", ")} not installed (apt-get install radosgw ceph-mon ceph-osd ceph-common)`;
};

/** A store with one user, without data on disk: Ceph's S3 gateway over one monitor and one OSD in memory. */
export class Radosgw implements AsyncDisposable {
  readonly endpoint: string;
  /** For the AWS SDK's credential chain. */
  readonly env = {
    AWS_ACCESS_KEY_ID: "testkey",
    AWS_SECRET_ACCESS_KEY: "testsecret",
    AWS_REGION: "us-east-1",
  };
  readonly #folder: string;
  readonly #conf: string;
  readonly #processes: ChildProcess[] = [];

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#conf = join(folder, "ceph.conf");
    this.endpoint = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<Radosgw> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-rgw-"));
    const port = await freePort();
    const store = new Radosgw(folder, port);
    try {
      await store.#startAll(await freePort(), port);
      return store;
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts the store, with a bucket, unless a parent process has done so: then it is in the environment. */
  static async shared(t: { readonly after: (end: () => Promise<void>) => void }): Promise<string> {
    const known = process.env[ENDPOINT];
    if (known !== undefined) return known;
    const store = await Radosgw.start();
    t.after(() => store[Symbol.asyncDispose]());
    Object.assign(process.env, store.env, { [ENDPOINT]: store.endpoint });
    return store.endpoint;
  }

  /** URL of a prefix in the bucket. */
  url(prefix = "", endpoint = this.endpoint): string {
    return `s3://${BUCKET}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&pathStyle=1`;
  }

  async #startAll(monPort: number, port: number): Promise<void> {
    const [fsid, osd] = [randomUUID(), randomUUID()];
    const at = (name: string): string => join(this.#folder, name);
    const keyring = at("keyring");
    for (const name of ["mon", "osd", "run"]) await mkdir(at(name));
    await writeFile(this.#conf, configOf(this.#folder, fsid, monPort, port));
    const all = ["--cap", "mon", "allow *", "--cap", "osd", "allow *"];
    const key = (name: string, ...caps: string[]): Promise<unknown> =>
      run("ceph-authtool", [keyring, "--gen-key", "-n", name, ...caps]);
    await run("ceph-authtool", [
      "--create-keyring",
      keyring,
      "--gen-key",
      "-n",
      "mon.",
      "--cap",
      "mon",
      "allow *",
    ]);
    await key("client.admin", ...all);
    await key("osd.0", ...all);
    await run("monmaptool", [
      "--create",
      "--addv",
      "a",
      `[v2:127.0.0.1:${monPort}]`,
      "--fsid",
      fsid,
      at("monmap"),
    ]);
    await run("ceph-mon", [
      "-c",
      this.#conf,
      "--mkfs",
      "-i",
      "a",
      "--monmap",
      at("monmap"),
      "--keyring",
      keyring,
    ]);
    this.#spawn("ceph-mon", "-i", "a");
    await this.#until(() => this.#ceph("osd", "new", osd, "0"));
    await run("ceph-osd", ["-c", this.#conf, "-i", "0", "--mkfs", "--osd-uuid", osd]);
    this.#spawn("ceph-osd", "-i", "0");
    this.#spawn("radosgw", "-n", "client.admin");
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = this.env;
    await this.#until(() => fetch(this.endpoint));
    const user = [
      "user",
      "create",
      "--uid=test",
      "--display-name=test",
      `--access-key=${id}`,
      `--secret=${secret}`,
    ];
    await run("radosgw-admin", ["-c", this.#conf, "-n", "client.admin", ...user]);
    await this.client().send(new CreateBucketCommand({ Bucket: BUCKET }));
  }

  client(): S3Client {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = this.env;
    const credentials = { accessKeyId, secretAccessKey };
    return new S3Client({ endpoint: this.endpoint, region: "us-east-1", forcePathStyle: true, credentials });
  }

  #ceph(...args: string[]): Promise<unknown> {
    return run("ceph", ["-c", this.#conf, "--connect-timeout", "10", ...args]);
  }

  #spawn(program: string, ...args: string[]): void {
    const child = spawn(program, ["-c", this.#conf, "-f", ...args], { stdio: "ignore" });
    this.#processes.push(child);
    process.once("exit", () => child.kill("SIGKILL"));
  }

  /** It has no sign of readiness but an answer. */
  async #until(asked: () => Promise<unknown>): Promise<void> {
    const endsAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const ended = this.#processes.find(({ exitCode }) => exitCode !== null);
      if (ended) throw new Error(`${ended.spawnfile} ended with ${ended.exitCode}`);
      try {
        return void (await asked());
      } catch (error) {
        if (performance.now() > endsAt) throw error;
      }
      await delay(POLL_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#processes.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise((ended) => child.once("exit", ended));
      child.kill("SIGKILL"); // nothing of it is kept
      await gone;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const configOf = (folder: string, fsid: string, monPort: number, port: number): string => `[global]
fsid = ${fsid}
mon_host = [v2:127.0.0.1:${monPort}/0]
keyring = ${folder}/keyring
run_dir = ${folder}/run
pid_file = ${folder}/run/$name.pid
admin_socket = ${folder}/run/$name.asok
crash_dir = ${folder}/run
log_file = ${folder}/$name.log
mon_cluster_log_file = ${folder}/cluster.log
mon_data = ${folder}/mon
osd_data = ${folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
[client.admin]
rgw_frontends = beast endpoint=127.0.0.1:${port}
`;
