import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { join } from "node:path";
import { storeFile } from "../../src/archive/stored-file.ts";
import { newKey, openHouse, openRegistry, type House } from "../../src/compose.ts";
import { collectJob } from "../../src/controller/collected-job.suite.ts";
import type { Role } from "../../src/ports/registry.ts";
import { Service } from "../../test/e2e/service-process.ts";
import { QUEUE_LANE, queueItems, queueJob } from "../queue-job.ts";

export interface GroundSize {
  /** Items of the attacker's finished job. */
  readonly items: number;
  /** Bytes of the file that one of its items has kept. */
  readonly fileBytes: number;
}

export interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

export interface Asking {
  readonly method?: string;
  readonly body?: Buffer | string | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another address of this machine to come from. */
  readonly from?: string;
}

export const BIG_JOB = "big";
export const FILE_JOB = "file";
const NEIGHBOUR_JOB = "neighbour";

/** A service on loopback with two clients: an attacker with much data, and a neighbour that only asks how its job is. */
export class AttackGround implements AsyncDisposable {
  readonly service: Service;
  readonly attacker: string;
  readonly neighbour: string;
  readonly admin: string;
  readonly #folder: string;

  private constructor(
    folder: string,
    service: Service,
    keys: Readonly<Record<"attacker" | "neighbour" | "admin", string>>,
  ) {
    this.#folder = folder;
    this.service = service;
    this.attacker = keys.attacker;
    this.neighbour = keys.neighbour;
    this.admin = keys.admin;
  }

  static async open(size: GroundSize): Promise<AttackGround> {
    const folder = mkdtempSync(join(tmpdir(), "sluice-attack-"));
    const service = new Service(folder);
    mkdirSync(service.data, { recursive: true });
    await using house = await openHouse(service.data);
    await fillJobs(house, size);
    const keys = {
      attacker: await addClient(service.data, "attacker"),
      neighbour: await addClient(service.data, "neighbour"),
      admin: await addClient(service.data, "admin", "admin"),
    };
    await service.serve("--log-level", "info");
    return new AttackGround(folder, service, keys);
  }

  get pid(): number {
    return this.service.controller.child.pid!;
  }

  get isAlive(): boolean {
    return this.service.controller.child.exitCode === null;
  }

  get logBytes(): number {
    return readFileSync(join(this.service.data, "logs", "controller.jsonl")).length;
  }

  /** The whole answer. */
  async ask(key: string, path: string, asking: Asking = {}): Promise<Reply> {
    const response = await this.begin(key, path, asking);
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    return { status: response.statusCode!, body: Buffer.concat(parts) };
  }

  /** The answer's head; its body is read when somebody does. */
  async begin(key: string, path: string, asking: Asking = {}): Promise<http.IncomingMessage> {
    const { method = "GET", body, headers, from } = asking;
    return await new Promise((resolve, reject) => {
      const request = http.request(`${this.service.url}${path}`, {
        method,
        agent: false,
        headers: { authorization: `Bearer ${key}`, ...headers },
        ...(from !== undefined && { localAddress: from }),
      });
      request.once("response", resolve).once("error", reject);
      if (body instanceof Readable) body.pipe(request);
      else request.end(body);
    });
  }

  async makeJob(options: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { status, body } = await this.ask(this.attacker, "/v1/jobs", {
      method: "POST",
      body: JSON.stringify({ scraper: "page", ...options }),
      headers: { "content-type": "application/json" },
    });
    if (status !== 201) throw new Error(`a job was refused: ${status} ${body.toString()}`);
    return (JSON.parse(body.toString()) as { job: { id: string } }).job.id;
  }

  async makeKey(client: string): Promise<{ readonly id: string; readonly key: string }> {
    const { body } = await this.ask(this.admin, `/v1/clients/${client}/keys`, {
      method: "POST",
      body: JSON.stringify({ role: "client" }),
      headers: { "content-type": "application/json" },
    });
    return JSON.parse(body.toString()) as { id: string; key: string };
  }

  /** Peak resident memory of the controller since `forgetPeak`, in megabytes. */
  peakMb(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }

  forgetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, "5");
  }

  /** How long the neighbour's requests take, one after the other, until `over`. */
  async watchNeighbour(over: AbortSignal, pauseMs = 10): Promise<readonly number[]> {
    const times: number[] = [];
    while (!over.aborted) {
      const begunAt = performance.now();
      const { status } = await this.ask(this.neighbour, `/v1/jobs/${NEIGHBOUR_JOB}`, {
        from: "127.0.0.3",
      });
      if (status !== 200) throw new Error(`the neighbour was answered ${status}`);
      times.push(performance.now() - begunAt);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return times;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const addClient = async (data: string, name: string, role: Role = "client"): Promise<string> => {
  const registry = await openRegistry(data);
  try {
    await registry.saveClient({ name, weight: 1, webhooks: [], createdAt: Date.now() });
    const { key, card } = await newKey(name, role);
    await registry.saveKey(card);
    return key;
  } finally {
    await registry.close();
  }
};

const fillJobs = async (house: House, { items, fileBytes }: GroundSize): Promise<void> => {
  const { ledger, blobs } = house;
  await ledger.createJob({ ...queueJob(BIG_JOB), client: "attacker" });
  for (let from = 0; from < items; from += 10_000)
    await ledger.addItems(BIG_JOB, queueItems(from, Math.min(items, from + 10_000)), []);
  await ledger.sealJob(BIG_JOB);
  const owner = "somebody of a long name ".repeat(10);
  await collectJob(house, BIG_JOB, ({ key }) => ({ body: "page", record: { parcel: key, owner, tax: 1 } }));

  await ledger.createJob({ ...queueJob(NEIGHBOUR_JOB), client: "neighbour" });
  await ledger.addItems(NEIGHBOUR_JOB, queueItems(0, 10), []);

  await ledger.createJob({ ...queueJob(FILE_JOB), client: "attacker" });
  await ledger.addItems(FILE_JOB, queueItems(0, 1), []);
  await ledger.sealJob(FILE_JOB);
  const { items: claimed } = await ledger.claim({
    worker: "filler",
    room: 1,
    inHand: new Map(),
    jobs: [FILE_JOB],
  });
  const [item] = claimed;
  const url = `https://${QUEUE_LANE}/file.bin`;
  const stored = await storeFile(
    blobs,
    FILE_JOB,
    {
      method: "GET",
      url,
      startedAt: 0,
      requestHeaders: [],
      status: 200,
      statusText: "OK",
      responseHeaders: [],
    },
    pieces(fileBytes),
  );
  const { blob, size, digest } = stored;
  const { queue, seq, lease } = item!;
  await ledger.settle("filler", [
    {
      queue,
      seq,
      lease,
      outcome: { state: "done", quality: "complete" },
      attempt: { startedAt: 0, ms: 1, requests: 1, bytes: size },
      captures: [
        { name: "file", url, mediaType: "application/octet-stream", digest, blob, offset: 0, length: size },
      ],
      records: null,
      fieldCounts: null,
      emitted: [],
    },
  ]);
};

async function* pieces(bytes: number): AsyncGenerator<Uint8Array> {
  const piece = randomBytes(1024 * 1024);
  for (let left = bytes; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
}
