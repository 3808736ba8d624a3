import type { CDPSession } from "playwright-core";
import type { BrowserProcess } from "./browser-process.ts";
import type { Tab } from "./tab.ts";

declare const session: CDPSession;
/** The package exports no types of the protocol: they are taken from its listeners. */
export type Paused = Parameters<Parameters<typeof session.on<"Fetch.requestPaused">>[1]>[0];
type LoginAsked = Parameters<Parameters<typeof session.on<"Fetch.authRequired">>[1]>[0];
type TargetInfo = Parameters<Parameters<typeof session.on<"Target.targetCreated">>[1]>[0]["targetInfo"];
export type ResourceType = Paused["resourceType"];
export type ErrorReason = NonNullable<Paused["responseErrorReason"]>;

/** What decides about the requests of one tab: the item that uses it now. */
export interface Traffic {
  /** At the request's start. It must end in one of the gate's answers. */
  onRequest(paused: Paused): Promise<void>;
  /** When the response's head has come, or the request has failed. */
  onResponse(paused: Paused): Promise<void>;
  /** User name and password for the egress proxy. */
  readonly proxyLogin?: { readonly username: string; readonly password: string } | undefined;
}

interface Owner {
  readonly tab: Tab;
  traffic: Traffic | undefined;
}

/**
 * All requests of one browser, from every page, frame, popup and worker, paused before they are sent and before their response is used. Playwright's
 * `route` would turn the HTTP cache off. A request whose tab is not known, or has no item now, fails.
 */
export class TrafficGate {
  readonly #process: BrowserProcess;
  readonly #tabs = new Map<string, Owner>();
  /** Context by the id of a frame or worker. */
  readonly #contexts = new Map<string, string>();
  #looking: Promise<void> | undefined;

  private constructor(process: BrowserProcess) {
    this.#process = process;
  }

  static async open(process: BrowserProcess): Promise<TrafficGate> {
    const gate = new TrafficGate(process);
    const { cdp } = process;
    cdp.on("Fetch.requestPaused", (paused) => void gate.#paused(paused));
    cdp.on("Fetch.authRequired", (asked) => void gate.#login(asked));
    cdp.on("Target.targetCreated", ({ targetInfo }) => gate.#note(targetInfo));
    cdp.on("Target.targetDestroyed", ({ targetId }) => gate.#contexts.delete(targetId));
    await cdp.send("Target.setDiscoverTargets", { discover: true });
    await cdp.send("Fetch.enable", {
      handleAuthRequests: true,
      patterns: [
        { urlPattern: "*", requestStage: "Request" },
        { urlPattern: "*", requestStage: "Response" },
      ],
    });
    return gate;
  }

  add(tab: Tab): void {
    this.#tabs.set(tab.contextId, { tab, traffic: undefined });
    this.#contexts.set(tab.targetId, tab.contextId);
    tab.cdp.on("Page.frameAttached", ({ frameId }) => this.#contexts.set(frameId, tab.contextId));
    tab.cdp.on("Page.frameDetached", ({ frameId }) => this.#contexts.delete(frameId));
  }

  remove(tab: Tab): void {
    this.#tabs.delete(tab.contextId);
    for (const [id, context] of this.#contexts) if (context === tab.contextId) this.#contexts.delete(id);
  }

  /** From now on the tab's requests belong to this item; undefined: to none. */
  assign(tab: Tab, traffic: Traffic | undefined): void {
    const known = this.#tabs.get(tab.contextId);
    if (known) known.traffic = traffic;
  }

  /** From now on the tab's documents are empty, and it sends nothing. */
  serveEmpty(tab: Tab): void {
    const onRequest = async (paused: Paused): Promise<void> => {
      const { requestId, frameId, resourceType } = paused;
      if (frameId !== tab.targetId || resourceType !== "Document") return void (await this.fail(paused));
      const responseHeaders = [{ name: "content-type", value: "text/html" }];
      await this.send("Fetch.fulfillRequest", { requestId, responseCode: 200, responseHeaders });
    };
    this.assign(tab, { onRequest, onResponse: async (paused) => void (await this.fail(paused)) });
  }

  /** Answers of the traffic; each is ignored once the request or its page is gone. */
  async send<Method extends Parameters<BrowserProcess["cdp"]["send"]>[0]>(
    method: Method,
    parameters: object,
  ): Promise<object | undefined> {
    return await this.#process.cdp.send(method, parameters as never).catch(() => undefined);
  }

  fail(paused: Paused, reason: ErrorReason = "BlockedByClient"): Promise<unknown> {
    return this.send("Fetch.failRequest", { requestId: paused.requestId, errorReason: reason });
  }

  async #paused(paused: Paused): Promise<void> {
    const known = await this.#ownerOf(paused.frameId);
    const isResponse = paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined;
    if (!known?.traffic) {
      known?.tab.stray();
      return void (await this.fail(paused));
    }
    const { traffic } = known;
    try {
      await (isResponse ? traffic.onResponse(paused) : traffic.onRequest(paused));
    } catch {
      // The item has the error: it knows why its own request was refused.
      await this.fail(paused);
    }
  }

  async #login(asked: LoginAsked): Promise<void> {
    const login =
      asked.authChallenge.source === "Proxy"
        ? (await this.#ownerOf(asked.frameId))?.traffic?.proxyLogin
        : undefined;
    await this.send("Fetch.continueWithAuth", {
      requestId: asked.requestId,
      authChallengeResponse: login
        ? { response: "ProvideCredentials", ...login }
        : { response: "CancelAuth" },
    });
  }

  async #ownerOf(frameId: string): Promise<Owner | undefined> {
    if (!this.#contexts.has(frameId))
      await (this.#looking ??= this.#look().finally(() => (this.#looking = undefined)));
    const context = this.#contexts.get(frameId);
    return context === undefined ? undefined : this.#tabs.get(context);
  }

  /** Frames and workers whose announcement has not come yet. */
  async #look(): Promise<void> {
    const targets = (await this.send("Target.getTargets", {})) as
      | { readonly targetInfos: readonly TargetInfo[] }
      | undefined;
    for (const info of targets?.targetInfos ?? []) this.#note(info);
    await Promise.all(
      this.#tabs.values().map(async ({ tab }) => {
        const frames = await tab.frames().catch(() => []);
        for (const { id } of frames) this.#contexts.set(id, tab.contextId);
      }),
    );
  }

  #note({ targetId, browserContextId }: TargetInfo): void {
    if (browserContextId !== undefined && this.#tabs.has(browserContextId))
      this.#contexts.set(targetId, browserContextId);
  }
}
