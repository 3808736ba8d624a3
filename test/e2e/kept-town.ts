import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FORMATS } from "../../src/backends/sql/tables.ts";
import { addRowSum } from "../../src/backends/sqlite/migrate.ts";
import { answer, openTestSite } from "../../src/collectors/http/testing/test-site.ts";
import { type Ended, SluiceProcess } from "./sluice-process.ts";

/** A page with a file for every town. */
export const openTownSite = () =>
  openTestSite(({ url }, response) => {
    const name = url.split("/").at(-1)!;
    if (url.startsWith("/absent/")) response.writeHead(404).end();
    else if (!url.startsWith("/minutes/")) answer(response, townPage(name));
    else response.setHeader("content-type", "application/pdf").end(`%PDF of ${name}`);
  });

export const townPage = (name: string): string =>
  `<html><head><title>${name}</title></head><body><b class=mayor>Mayor of ${name}</b></body></html>`;

/** `own`: more members of it. */
export const townScraper = (site: string, own = ""): string => `
import { absent, defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "towns",
  site: "${site}",
  input: z.object({ name: z.string() }),
  key: ({ name }) => name,
  robots: "ignore",
  pace: { perSecond: 500, concurrency: 8 },
  ${own}
  async collect({ input, http, keep }) {
    const page = await http.get("/town/" + input.name);
    keep.page("town", page);
    await keep.file("minutes", "/minutes/" + input.name);
  },
  extract: { from: "town", fields: { mayor: field.text(".mayor") } },
});
`;

/** A folder with the scraper `towns`, its data folder, and the command line. */
export class TownProject {
  readonly folder: string;
  readonly data: string;

  constructor(folder: string, site?: string) {
    this.folder = folder;
    this.data = join(folder, "data");
    if (site !== undefined) this.writeScraper(site);
  }

  writeScraper(site: string, own = ""): void {
    writeFileSync(join(this.folder, "towns.scraper.ts"), townScraper(site, own));
  }

  start(...args: readonly string[]): SluiceProcess {
    return new SluiceProcess(args, {}, this.folder);
  }

  async run(...args: readonly string[]): Promise<Ended> {
    return await this.start(...args).ended;
  }

  /** Throws if the exit code is not 0. */
  async lines<T>(...args: readonly string[]): Promise<T[]> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`sluice ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as T);
  }

  /** Runs a job to its end and returns its id. With `reuse`, pages that were fetched before are reused. */
  async collect(names: readonly string[], { reuse = false } = {}): Promise<string> {
    const input = join(this.folder, "names.csv");
    writeFileSync(input, `name\n${names.join("\n")}\n`);
    const age = reuse ? "1h" : "0";
    const submit = ["submit", "./towns.scraper.ts", "--input", input, "--max-age", age, "--json"];
    const { job } = (await this.lines<{ readonly job: string }>(...submit)).at(-1)!;
    await this.run("resume", job, "--quiet");
    return job;
  }

  /** Names of the archive's objects. Lists them again if a folder disappears meanwhile. */
  objects(prefix = ""): string[] {
    const blobs = join(this.data, "blobs");
    for (;;)
      try {
        return readdirSync(blobs, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(blobs.length + 1))
          .filter((name) => name.startsWith(prefix) && !name.startsWith("."))
          .sort();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
  }

  query<Row>(sql: string, ...values: readonly (string | number)[]): Row[] {
    const db = new DatabaseSync(join(this.data, "sluice.db"), { timeout: 30_000 });
    addRowSum(db);
    try {
      return db.prepare(sql).all(...values) as Row[];
    } finally {
      db.close();
    }
  }

  /** Changes the job's end to this long ago. */
  age(job: string, days: number): void {
    this.query("UPDATE jobs SET ended_at = ended_at - ? WHERE id = ? RETURNING id", days * 86_400_000, job);
    this.sumJob(job);
  }

  /** Updates the checksum of the job's row after a change. */
  sumJob(job: string): void {
    const columns = FORMATS.job.written.filter((column) => column !== "sum");
    this.query(`UPDATE jobs SET sum = row_sum(${columns.join(", ")}) WHERE id = ? RETURNING id`, job);
  }
}
