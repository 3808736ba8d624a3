import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { openStorage, openRegistry } from "../../src/compose.ts";
import { makeKey, newSecret } from "../../src/services/secrets.ts";
import type { Role } from "../../src/ports/registry.ts";
import { NameServer } from "../../test/e2e/name-server.ts";
import { Service } from "../../test/e2e/service-process.ts";
import type { Scale } from "./attack.ts";
import { fillJobs } from "./fill-jobs.ts";
import { Neighbour } from "./neighbour.ts";

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

/** Requests per second of the neighbour's two jobs: one in its own lane, one in a lane that the attacker may use too. */
export const PER_SECOND = 20;
/** More than any attack lasts. */
const NEIGHBOUR_ITEMS = 30_000;
/** All of these lead to one address. */
export const NAMES: readonly string[] = Array.from({ length: 60 }, (_, n) => `name${n}.example`);

/** A loopback service with a worker and two clients: an attacker with much data, and a neighbour whose job runs and who polls its status. */
export class AttackKit implements AsyncDisposable {
  readonly service: Service;
  readonly neighbour: Neighbour;
  readonly attacker: string;
  readonly neighbourKey: string;
  readonly admin: string;
  readonly #opened: AsyncDisposableStack;
  #clients = 0;

  private constructor(
    service: Service,
    neighbour: Neighbour,
    keys: Readonly<Record<"attacker" | "neighbour" | "admin", string>>,
    opened: AsyncDisposableStack,
  ) {
    this.service = service;
    this.neighbour = neighbour;
    this.attacker = keys.attacker;
    this.neighbourKey = keys.neighbour;
    this.admin = keys.admin;
    this.#opened = opened;
  }

  static async open(size: Scale): Promise<AttackKit> {
    await using opened = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "sluice-attack-"));
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    const neighbour = opened.use(await Neighbour.open());
    const names = opened.use(
      await NameServer.open(Object.fromEntries(NAMES.map((name) => [name, ["127.0.0.20"]]))),
    );
    const { NODE_OPTIONS, ...others } = names.env;
    const service = opened.use(
      new Service(folder, {
        ...others,
        NODE_OPTIONS: `${NODE_OPTIONS} --import=${join(import.meta.dirname, "set-clock.ts")}`,
        CLOCK_FILE: join(folder, "clock"),
        SITE_URL: neighbour.siteAt("127.0.0.1"),
      }),
    );
    service.configure({ allowTargets: ["127.0.0.0/8"] });
    for (const name of ["own", "shared"]) service.writeScraper(name, pacedScraper(name));
    service.writeScraper("listing", LISTING);
    mkdirSync(service.data, { recursive: true });
    {
      await using storage = await openStorage(service.data);
      await fillJobs(storage, size);
    }
    const keys = {
      attacker: await addClient(service.data, "attacker"),
      neighbour: await addClient(service.data, "neighbour"),
      admin: await addClient(service.data, "admin", "admin"),
    };
    await service.serve("--log-level", "info");
    service.worker("--processes", "1");
    const kit = new AttackKit(service, neighbour, keys, opened.move());
    const [own] = [await kit.makePacedJob("own"), await kit.makePacedJob("shared")];
    for (const path of ["/own/", "/shared/"])
      while ((await neighbour.arrivals(path)).length < PER_SECOND) await delay(100);
    neighbour.ask(`${service.url}/v1/jobs/${own}`, keys.neighbour, size.askMs);
    return kit;
  }

  get pid(): number {
    return this.service.controller.child.pid!;
  }

  get isAlive(): boolean {
    return this.service.controller.child.exitCode === null;
  }

  /** The last error that the service logged. */
  lastError(): string {
    const lines = readFileSync(join(this.service.data, "logs", "controller.jsonl"), "latin1").split("\n");
    return lines.findLast((line) => line.includes('"level":"error"'))?.slice(0, 1000) ?? "nothing is logged";
  }

  /** Bytes of log lines about unauthenticated requests. */
  get unauthenticatedLogBytes(): number {
    const lines = readFileSync(join(this.service.data, "logs", "controller.jsonl"), "latin1").split("\n");
    return lines.filter((line) => !line.includes('"client":')).join("\n").length;
  }

  /** The whole answer. */
  async ask(key: string, path: string, asking: Asking = {}): Promise<Reply> {
    const response = await this.begin(key, path, asking);
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    return { status: response.statusCode!, body: Buffer.concat(parts) };
  }

  /** The head of the answer. The body is read by the caller. */
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

  /** With a body as JSON. */
  async post(key: string, path: string, body: unknown = {}, method = "POST"): Promise<Reply> {
    const headers = { "content-type": "application/json" };
    return await this.ask(key, path, { method, body: JSON.stringify(body), headers });
  }

  async makeJob(options: Readonly<Record<string, unknown>> = {}, key = this.attacker): Promise<string> {
    const { status, body } = await this.post(key, "/v1/jobs", { scraper: "page", ...options });
    if (status !== 201) throw new Error(`a job was refused: ${status} ${body.toString()}`);
    return (JSON.parse(body.toString()) as { job: { id: string } }).job.id;
  }

  async read<View>(key: string, path: string): Promise<View> {
    const { status, body } = await this.ask(key, path);
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${body.toString().slice(0, 200)}`);
    return JSON.parse(body.toString()) as View;
  }

  /** A client that has done nothing yet, and its key. */
  async makeClient(
    limits: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly name: string; readonly key: string }> {
    const name = `attacker-${++this.#clients}`;
    await this.post(this.admin, "/v1/clients", { name, ...limits });
    return { name, ...(await this.makeKey(name)) };
  }

  async makeKey(client: string): Promise<{ readonly id: string; readonly key: string }> {
    const { body } = await this.post(this.admin, `/v1/clients/${client}/keys`, { role: "client" });
    return JSON.parse(body.toString()) as { id: string; key: string };
  }

  /** Sets the clock of all processes of the service. */
  setClock(offsetMs: number): void {
    writeFileSync(join(this.service.folder, "clock"), String(offsetMs));
  }

  /** Peak resident memory of the controller since `forgetPeak`, in megabytes. */
  peakMb(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }

  forgetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, "5");
  }

  async makePacedJob(scraper: string): Promise<string> {
    const job = await this.makeJob({ scraper }, this.neighbourKey);
    const rows = Array.from({ length: NEIGHBOUR_ITEMS }, (_, n) => `{"path":"/${scraper}/${n}"}\n`);
    const headers = { "content-type": "application/x-ndjson" };
    const asking = { method: "POST", body: rows.join(""), headers };
    await this.ask(this.neighbourKey, `/v1/jobs/${job}/inputs?seal=true`, asking);
    return job;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

const addClient = async (data: string, name: string, role: Role = "client"): Promise<string> => {
  const registry = await openRegistry(data);
  try {
    const secrets = [newSecret()];
    await registry.saveClient({ name, weight: 1, webhooks: [], secrets, createdAt: Date.now() });
    const { key, info } = makeKey(name, role, Date.now());
    await registry.saveKey(info);
    return key;
  } finally {
    await registry.close();
  }
};

/** Takes any text as its key and fetches the path of that name. */
const pacedScraper = (name: string): string => `
  import { defineScraper } from "sluice-jobs";
  import { z } from "zod";
  export default defineScraper({
    name: "${name}",
    site: process.env["SITE_URL"],
    lane: "${name}",
    input: z.object({ path: z.string() }),
    key: ({ path }) => path,
    robots: "ignore",
    pace: { perSecond: ${PER_SECOND}, concurrency: ${2 * PER_SECOND} },
    async collect({ input, http, keep }) {
      keep.page("page", await http.get(input.path));
    },
  });`;

/** Emits as many inputs to itself as its path says. */
const LISTING = `
  import { defineScraper, emitTo, field } from "sluice-jobs";
  import { z } from "zod";
  export default defineScraper({
    name: "listing",
    site: process.env["SITE_URL"],
    lane: "listing",
    input: z.object({ url: z.string() }),
    key: ({ url }) => url,
    robots: "ignore",
    pace: { perSecond: 5, concurrency: 5 },
    async collect({ input, http, keep }) {
      keep.page("page", await http.get(input.url));
    },
    emit: [emitTo("self", { from: "page", each: "li", input: { url: field.url("a") }, min: 0 })],
  });`;
