import { mkdtempSync, chmodSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Site, startSite } from "./site/start-site.ts";

/** What a bench needs: one site for all, and temporary folders. */
export interface BenchKit extends AsyncDisposable {
  /** Started on first use. */
  site(): Promise<Site>;
  /** An empty folder of its own, until `work` has ended. */
  inFolder<T>(work: (folder: string) => Promise<T>): Promise<T>;
}

export const openKit = (): BenchKit => {
  const root = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  chmodSync(root, 0o755); // nginx drops its rights and must still read its pages
  let site: Promise<Site> | undefined;
  let folders = 0;
  const newFolder = (): string => {
    const folder = join(root, String(folders++));
    mkdirSync(folder);
    return folder;
  };
  const clear = (): void => rmSync(root, { recursive: true, force: true });
  process.once("exit", clear); // also when it was interrupted
  return {
    site: () => (site ??= startSite(newFolder())),
    async inFolder(work) {
      const folder = newFolder();
      try {
        return await work(folder);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    async [Symbol.asyncDispose]() {
      await (await site)?.[Symbol.asyncDispose]();
      clear();
    },
  };
};
