import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before } from "node:test";
import { type Browser, chromium, type Frame, type Page } from "playwright-core";
import { ActiveClock } from "../../src/collectors/browser/active-clock.ts";
import { findBrowser } from "../../src/collectors/browser/find-browser.ts";
import { replay, type ReplayOptions } from "../../src/collectors/browser/replay/replay.ts";
import { FailureError, type FailureKind } from "../../src/domain/failure.ts";
import { parseRecording } from "../../src/recordings/parse-recording.ts";
import type { Recording } from "../../src/recordings/recording.ts";

const browser = await findBrowser();

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A site and a browser for the tests of one file. */
export interface ReplayKit {
  /** Of the site, without a slash at its end. */
  readonly origin: string;
  readonly browser: Browser;
  /** What the site answers; tests replace it. */
  answer: Answer;
}

/** `names`: hosts with ports that lead to the site, as recordings have them. */
export const replayKit = (names: readonly string[] = []): ReplayKit => {
  const kit = { answer: (_request, response) => void response.end() } as {
    -readonly [Part in keyof ReplayKit]: ReplayKit[Part];
  };
  const server = createServer((request, response) => void kit.answer(request, response));
  before(async () => {
    if (!browser) return;
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    kit.origin = `http://127.0.0.1:${port}`;
    const rules = [
      ...names.map((name) => `MAP ${name} 127.0.0.1:${port}`),
      "MAP * ~NOTFOUND",
      "EXCLUDE 127.0.0.1",
    ];
    kit.browser = await chromium.launch({
      executablePath: browser.path,
      args: [`--host-resolver-rules=${rules.join(", ")}`, "--no-sandbox"],
    });
  });
  after(async () => {
    await kit.browser?.close();
    server.closeAllConnections();
    server.close();
  });
  return kit;
};

/** Answers every path with the page of that name. */
export const pages =
  (html: Readonly<Record<string, string>>): Answer =>
  ({ url = "/" }, response) => {
    const page = html[url.split("?")[0]!];
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html" }).end(page);
  };

export interface Performed {
  readonly page: Page;
  /** Names and texts of what was kept. */
  readonly kept: readonly { readonly name: string; readonly url: string; readonly text: string }[];
}

/** Performs steps, as they are written in a recording, in a new context. */
export const perform = async (
  kit: ReplayKit,
  steps: readonly object[],
  options: Partial<ReplayOptions> & {
    readonly prepare?: (page: Page) => unknown;
    /** Instead of the steps, past the checks of the parser. */
    readonly recording?: Recording;
  } = {},
): Promise<Performed> => {
  const context = await kit.browser.newContext();
  after(() => context.close());
  const page = await context.newPage();
  const kept: { name: string; url: string; text: string }[] = [];
  const { prepare, recording = parseRecording({ title: "test", steps }), ...rest } = options;
  await prepare?.(page);
  await replay(recording, {
    page,
    clock: new ActiveClock(),
    signal: new AbortController().signal,
    keep: async (name: string, frame: Frame) => {
      kept.push({ name, url: frame.url(), text: String(await frame.evaluate("document.body.innerText")) });
    },
    download: async (_name, trigger) => trigger(),
    ...rest,
  });
  return { page, kept };
};

export const click = (...selectors: (string | string[])[]): object => ({ type: "click", selectors });

/** A custom step, as it is written in Chrome's JSON. */
export const custom = (name: string, parameters: object = {}): object => ({
  type: "customStep",
  name: `sluice.${name}`,
  parameters,
});

/** A block, as the pair of steps that Chrome's flat list has. */
export const block = (
  name: string,
  parameters: object,
  steps: readonly object[],
  otherwise?: readonly object[],
): object[] => {
  const id = `${name}-${JSON.stringify(parameters).replace(/\W+/g, "-")}`.slice(0, 60);
  return [
    custom(name, { id, begin: true, ...parameters }),
    ...steps,
    ...(otherwise ? [custom(name, { id, otherwise: true }), ...otherwise] : []),
    custom(name, { id, end: true }),
  ];
};

/** For `assert.rejects`. */
export const failsWith =
  (kind: FailureKind, detail: RegExp) =>
  (error: unknown): true => {
    if (!(error instanceof FailureError)) throw error;
    const { failure } = error;
    assert.deepEqual([failure.kind, detail.test(failure.detail)], [kind, true], failure.detail);
    return true;
  };

/** A clock that can be told to run ten times as fast. */
export class HurriedClock extends ActiveClock {
  #since = Infinity;

  hurry(): void {
    this.#since = Math.min(this.#since, super.now());
  }

  override now(): number {
    const now = super.now();
    return now + 9 * Math.max(now - this.#since, 0);
  }

  override async within<Result>(
    ms: number,
    signal: AbortSignal,
    work: Promise<Result>,
    late: () => Error,
  ): Promise<Result> {
    const until = this.now() + ms;
    const round = new Error("one round");
    for (;;)
      try {
        return await super.within(20, signal, work, () => round);
      } catch (error) {
        if (error !== round) throw error;
        if (this.now() >= until) throw late();
      }
  }
}
