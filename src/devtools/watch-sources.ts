import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname, join } from "node:path";

interface SourceWatcher extends Disposable {
  /** From now on what changes is noticed, also while the scrapers run. */
  begin(scrapers: readonly string[]): void;
  /** More files that matter: what the scrapers import. */
  add(files: readonly string[]): void;
  /** Resolves with the name of a file that has changed since `begin`, or undefined at the end. */
  changed(): Promise<string | undefined>;
}

/** An editor writes a file in several steps: one change is all that happens within this time. */
const SETTLE_MS = 60;

/** Watches folders, not files: editors replace a file instead of writing into it. */
export const watchSources = (signal: AbortSignal): SourceWatcher => {
  const folders = new Map<string, FSWatcher>();
  const files = new Set<string>();
  let change = Promise.withResolvers<string | undefined>();
  let timer: NodeJS.Timeout | undefined;

  const notice = (path: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => change.resolve(path), SETTLE_MS);
  };
  const look = (folder: string, recursive: boolean, matters: (path: string) => boolean): void => {
    if (folders.has(folder) || !existsSync(folder)) return;
    const watcher = watch(folder, { recursive }, (_event, name) => {
      if (name !== null && matters(join(folder, name))) notice(basename(name));
    });
    // A folder that goes away is no reason to end.
    watcher.on("error", () => {
      watcher.close();
      folders.delete(folder);
    });
    folders.set(folder, watcher);
  };
  const add = (more: readonly string[]): void => {
    for (const file of more) {
      files.add(file);
      look(dirname(file), false, (path) => files.has(path) || basename(path) === "fixtures");
    }
  };
  const onAbort = (): void => change.resolve(undefined);
  signal.addEventListener("abort", onAbort, { once: true });

  return {
    begin(scrapers) {
      change = Promise.withResolvers();
      if (signal.aborted) onAbort();
      add(scrapers);
      for (const file of scrapers) look(join(dirname(file), "fixtures"), true, () => true);
    },
    add,
    changed: () => change.promise,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      for (const watcher of folders.values()) watcher.close();
    },
  };
};
