import type { Frame, Page, Request } from "playwright-core";

/** Long polls and endless streams: a page is not waited for because of them. */
const LONGEST_REQUEST_MS = 30_000;
/** These do not affect what a page will show. */
const UNRELATED: ReadonlySet<string> = new Set([
  "eventsource",
  "websocket",
  "ping",
  "media",
  "image",
  "font",
]);

/** What the pages of a replay are loading, to recognise a page that is about to change. */
export class Activity {
  readonly #now: () => number;
  /** Requests without an end, and when they started. */
  readonly #pending = new Map<Request, { readonly page: Page; readonly at: number }>();
  readonly #stops: (() => void)[] = [];
  #changedAt: number;

  /** The clock stops while requests wait for slots. */
  constructor(now: () => number) {
    this.#now = now;
    this.#changedAt = now();
  }

  watch(page: Page): void {
    let documentAt = 0;
    const onRequest = (request: Request): void => {
      if (UNRELATED.has(request.resourceType())) return;
      this.#changedAt = this.#now();
      this.#pending.set(request, { page, at: this.#changedAt });
      if (request.isNavigationRequest() && request.redirectedFrom() === null) documentAt = this.#changedAt;
    };
    const onEnd = (request: Request): void => {
      if (this.#pending.delete(request)) this.#changedAt = this.#now();
    };
    const onNavigated = (frame: Frame): void => {
      this.#changedAt = this.#now();
      if (frame.parentFrame() !== null) return;
      // Requests of the previous document may never end.
      for (const [request, { page: its, at }] of this.#pending)
        if (its === page && at < documentAt) this.#pending.delete(request);
    };
    const onClose = (): void => {
      for (const [request, { page: its }] of this.#pending) if (its === page) this.#pending.delete(request);
    };
    page.on("request", onRequest);
    page.on("requestfinished", onEnd);
    page.on("requestfailed", onEnd);
    page.on("framenavigated", onNavigated);
    page.on("close", onClose);
    this.#stops.push(() => {
      page.off("request", onRequest);
      page.off("requestfinished", onEnd);
      page.off("requestfailed", onEnd);
      page.off("framenavigated", onNavigated);
      page.off("close", onClose);
    });
  }

  /** Milliseconds since anything was loaded; 0 while something is. */
  idleMs(): number {
    const now = this.#now();
    for (const [request, { at }] of this.#pending)
      if (now - at > LONGEST_REQUEST_MS) this.#pending.delete(request);
    return this.#pending.size > 0 ? 0 : now - this.#changedAt;
  }

  /** Something was done to a page: what follows from it may take a moment to start. */
  touch(): void {
    this.#changedAt = this.#now();
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }
}
