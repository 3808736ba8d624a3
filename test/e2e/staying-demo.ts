/** `npm run demo -- --stay`, and the addresses of every page that it has data for. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Job, SluiceClient } from "../../src/client.ts";
import { ROOT } from "./sluice-process.ts";

export interface StayingDemo extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  /** As Ctrl-C does. Its exit code, when no process of it is left. */
  stop(): Promise<number | null>;
}

export const startStayingDemo = async (folder: string): Promise<StayingDemo> => {
  const program = join(ROOT, "examples/county/demo.ts");
  const demo = spawn(process.execPath, [program, "--stay", "--parcels", "60", "--data", folder], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: string[] = [];
  demo.stderr.on("data", (text: Buffer) => printed.push(text.toString()));
  const lines = createInterface(demo.stdout);
  // Both pipes close when no process holds them.
  const closed = once(demo, "close") as Promise<[number | null]>;
  const said = (label: string): Promise<string> =>
    new Promise((resolve) => {
      lines.on("line", (line) => {
        const [, word, text] = /^ {2}(open|sign in) +(\S+)$/.exec(line) ?? [];
        if (word === label) resolve(text!);
      });
    });
  lines.on("line", (line) => printed.push(`${line}\n`));
  const ready = Promise.all([said("open"), said("sign in")]);
  const ended = closed.then(([code]) => {
    throw new Error(`The demo ended with ${code}:\n${printed.join("")}`);
  });
  ended.catch(() => undefined);
  const [url, key] = await Promise.race([ready, ended]);
  const stop = async (): Promise<number | null> => {
    demo.kill("SIGINT");
    return (await closed)[0];
  };
  return { url, key, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
};

/** Every page of the dashboard by name, with something to see. */
export const pagesOfDemo = async (client: SluiceClient): Promise<Readonly<Record<string, string>>> => {
  const jobs = (await client.listJobs({ limit: 100 })).data;
  const find = (isSo: (job: Job) => boolean): string => `/jobs/${jobs.find(isSo)!.id}`;
  const ended = find(
    ({ scraper, state, failures }) => scraper === "lake-county" && state === "done" && failures.length > 0,
  );
  const held = jobs.find((job) => job.held.length > 0)!;
  const lake = (await client.listJobs({ scraper: "lake-county" })).data;
  // Before the site changed.
  const first = lake.at(-1)!.id;
  const itemWith = async (quality: "complete" | "partial"): Promise<string> => {
    const { data } = await client.listItems(first, {
      state: ["done"],
      quality,
      limit: 1,
    });
    return `/jobs/${first}/items/${data[0]!.id}`;
  };
  const item = await itemWith("complete");
  return {
    now: "/",
    jobs: "/jobs",
    "jobs-done": "/jobs?state=done",
    job: ended,
    "job-running": find(({ state, scraper }) => state === "running" && scraper === "county"),
    "job-paused": find(({ state, held: lanes }) => state === "paused" && lanes.length === 0),
    "job-held": `/jobs/${held.id}`,
    "job-loading": find(({ state }) => state === "loading"),
    items: `${ended}/items`,
    "items-failed": `${ended}/items?state=failed`,
    item: `${item}?field=owner`,
    "item-partial": await itemWith("partial"),
    "item-source": `${item}?field=owner&as=source`,
    submit: "/submit?scraper=lake-county",
    scrapers: "/scrapers",
    scraper: `/scrapers/lake-county?before=${lake[1]!.id}&after=${lake[0]!.id}`,
    schedules: "/schedules",
    schedule: "/schedules/lake-weekly",
    datasets: "/datasets",
    dataset: "/datasets/lake-taxes?before=2&after=3",
    "release-held": "/datasets/lake-taxes/releases/3",
    release: "/datasets/lake-taxes/releases/2",
    lanes: "/lanes",
    lane: `/lanes/${encodeURIComponent(held.held[0]!.lane)}`,
    workers: "/workers",
    alerts: "/alerts",
    events: "/events",
    webhooks: "/webhooks",
    limits: "/limits",
    clients: "/clients",
    client: "/clients/research",
  };
};
