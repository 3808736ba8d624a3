import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { installBuilt } from "../built-package.ts";
import { installPeers, peerScript } from "../peers-folder.ts";
import { propertyPage } from "../site/property-page.ts";
import { rounded, spreadOf } from "../spread.ts";

const ROUNDS = 5;
const GIVE_UP_MS = 20_000;
const PYTHON = "/usr/bin/python3";
const SCRAPY = "/usr/lib/python3/dist-packages/scrapy";

interface Contender {
  readonly name: string;
  readonly command: (url: string, folder: string) => readonly string[];
}

/** From the start of a program to the arrival of its first request at the site, whatever it asks for first. */
export const measureFirstRequest = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  await installPeers();
  const times = Math.max(ROUNDS, rounds);
  return await kit.inFolder((installation) => measure(kit, times, present(installBuilt(installation))));
};

const measure = async (kit: BenchKit, times: number, contenders: readonly Contender[]): Promise<Figure[]> => {
  const taken = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  await using site = await openListener();
  for (let round = 0; round < times; round++)
    for (const { name, command } of contenders) {
      const ms = await kit.inFolder((folder) => site.timeOf(command(site.url, folder), folder));
      taken.get(name)!.push(ms);
    }
  const spreads = Object.fromEntries([...taken].map(([name, values]) => [name, spreadOf(values)]));
  const own = spreads["sluice"];
  if (own === undefined) return [];
  const against = (name: string): Figure[] => {
    const other = spreads[name];
    if (other === undefined) return [];
    return [
      {
        figure: `first request: ${name} ÷ Sluice`,
        value: rounded(other.median / own.median),
        unit: "ratio",
        ...(name !== "undici" && { goal: { atLeast: 1 } }),
        rounds: times,
        from: { ms: spreads },
        note: "time ÷ time: more is better; Sluice fetches robots.txt first, the others do not",
      },
    ];
  };
  return [
    {
      figure: "first request after the start",
      value: own.median,
      unit: "ms",
      goal: { atMost: 250 },
      rounds: times,
      from: { ms: spreads },
      note: "`sluice run page --input urls.txt` from the built package; it creates its ledger first",
    },
    ...against("scrapy"),
    ...against("crawlee"),
    ...against("undici"),
  ];
};

/** `sluice` is the path of the built command. */
const present = (sluice: string): Contender[] => {
  const node = process.execPath;
  const all: (Contender & { readonly needs?: string })[] = [
    { name: "undici", command: (url) => [node, peerScript("first-request-undici.mjs"), url] },
    {
      name: "sluice",
      command: (url, folder) => {
        const urls = join(folder, "urls.txt");
        writeFileSync(urls, `${url}\n`);
        return [node, sluice, "run", "page", "--input", urls, "--data", join(folder, "data")];
      },
    },
    { name: "crawlee", command: (url) => [node, peerScript("first-request-crawlee.mjs"), url] },
    {
      name: "scrapy",
      needs: SCRAPY,
      command: (url) => [
        PYTHON,
        "-m",
        "scrapy",
        "runspider",
        peerScript("first_request_scrapy.py"),
        "-a",
        `url=${url}`,
      ],
    },
  ];
  return all.filter(({ name, needs }) => {
    const isThere = needs === undefined || existsSync(needs);
    if (!isThere) console.error(`bench: ${name} is left out of the first request: ${needs} is not there`);
    return isThere;
  });
};

interface Listener extends AsyncDisposable {
  readonly url: string;
  /** Ms from the start of the command until its first request arrives. */
  timeOf(command: readonly string[], folder: string): Promise<number>;
}

const openListener = async (): Promise<Listener> => {
  const page = propertyPage(1);
  let onRequest: () => void = () => undefined;
  const server = createServer((_request, response) => {
    onRequest();
    response.writeHead(200, { "content-type": "text/html" }).end(page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/parcel/1`,
    async timeOf([program, ...args], folder) {
      const startedAt = performance.now();
      let ms: number | undefined;
      onRequest = () => (ms ??= performance.now() - startedAt);
      const child = spawn(program!, args, { cwd: folder, stdio: "ignore" });
      const timer = setTimeout(() => child.kill("SIGKILL"), GIVE_UP_MS);
      await once(child, "exit"); // a process on its way out must not disturb the next one
      clearTimeout(timer);
      if (ms === undefined) throw new Error(`no request came from ${[program, ...args].join(" ")}`);
      return ms;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
