import type { Frame } from "playwright-core";
import { type Failure, FailureError } from "../../../domain/failure.ts";
import type { BrowserPage, KeptFile, Limits, RecordingPlayer } from "../../../ports/collector.ts";
import { allSteps, type Recording } from "../../../recordings/recording.ts";
import type { ActiveClock } from "../active-clock.ts";
import type { ItemTraffic } from "../item-traffic.ts";
import { type Dom, type Made, madeOf } from "../page.ts";
import { scriptCall } from "../page-scripts.ts";
import type { Tab } from "../tab.ts";
import { replay } from "./replay.ts";

interface PlayerOptions {
  readonly tab: Tab;
  readonly page: BrowserPage;
  readonly traffic: Pick<ItemTraffic, "trouble" | "document" | "pending">;
  readonly clock: ActiveClock;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly site: string;
  /** Stores something made from a page. */
  readonly resource: (name: string, made: Made) => Promise<void>;
  readonly file: (name: string, made: undefined, start: () => Promise<void>) => Promise<KeptFile>;
}

/** A site that answers 404 for what it does not have may still say so on a page, which `sluice.absentIf` reads. */
const GONE = [404, 410];

/** Performs recordings in an item's tab. */
export const createPlayer = ({
  tab,
  page,
  traffic,
  clock,
  limits,
  signal,
  site,
  ...store
}: PlayerOptions): RecordingPlayer => {
  const isOwn = (frame: Frame): boolean => frame === tab.page.mainFrame();

  const failureOf = (what: "document" | "any"): Failure | undefined => {
    const { trouble, document, pending } = traffic;
    if (what === "document") return document?.url === trouble?.url ? trouble : undefined;
    const detail = "a request of the page was not answered in time";
    return trouble ?? (pending > 0 ? { kind: "timeout", detail, url: tab.page.url() } : undefined);
  };

  const keep = async (name: string, frame: Frame): Promise<void> => {
    if (isOwn(frame)) return await page.keep(name);
    const url = frame.url();
    const most = limits.decodedBytes;
    const dom = frame.evaluate<Dom | { characters: number }>(scriptCall("dom", most));
    const made = await clock.within(
      limits.requestMs,
      signal,
      dom,
      () => new FailureError({ kind: "browser", detail: "the frame did not answer", url }),
    );
    if ("characters" in made) {
      const detail = `the document has ${made.characters} characters, the limit is ${most}`;
      throw new FailureError({ kind: "too-large", detail, url });
    }
    await store.resource(name, madeOf(made, url));
  };

  return {
    async replay(recording: Recording, { allowsCode }) {
      const accept = [...allSteps(recording.steps)].some(({ type }) => type === "sluice.absentIf")
        ? GONE
        : [];
      await tab.blank();
      const ended = new AbortController();
      const played = replay(recording, {
        page: tab.page,
        site,
        clock,
        signal: AbortSignal.any([signal, ended.signal]),
        allowsExpressions: allowsCode,
        keep,
        goto: (frame, url) => (isOwn(frame) ? page.goto(url, { accept }) : undefined),
        download: async (name, trigger) => void (await store.file(name, undefined, trigger)),
        failureOf,
      });
      try {
        await clock.within(limits.itemMs, signal, played, () => {
          const detail = `the recording took longer than ${limits.itemMs} ms`;
          return new FailureError({ kind: "timeout", detail, url: tab.page.url() });
        });
      } catch (error) {
        if (error instanceof FailureError && error.failure.kind === "browser")
          tab.break("it did not answer a recorded step");
        throw error;
      } finally {
        ended.abort();
      }
    },
  };
};
