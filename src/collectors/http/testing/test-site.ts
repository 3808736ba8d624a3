import { hash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { Exchange } from "../../../domain/capture.ts";
import { type Failure, FailureError } from "../../../domain/failure.ts";
import type { CollectorTools, CollectSession, Http, Limits } from "../../../ports/collector.ts";
import type { Proxies } from "../../proxy/proxies.ts";
import { type HttpSessionOptions, openHttpSession } from "../http-session.ts";
import type { TargetGuardOptions } from "../target-guard.ts";
import type { MakeClient } from "../load-impit.ts";
import { createTransport } from "../transport.ts";

export type Handler = (request: SiteRequest, response: ServerResponse) => void;

export interface SiteRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

interface TestSite extends AsyncDisposable {
  readonly url: string;
  /** All requests to the site, in order of arrival. */
  readonly seen: SiteRequest[];
}

/** A real site on loopback; bodies are read before the handler is called. */
export const openTestSite = async (handler: Handler): Promise<TestSite> => {
  const seen: SiteRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString("latin1") };
      seen.push(request);
      handler(request, response);
    });
  });
  // On a busy machine a test pauses longer than the five seconds after which idle connections are closed.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** A server without its own HTTP handling. `serve` is called for each request that arrives in one piece. */
export const openRawSite = async (
  serve: (socket: Socket) => void,
): Promise<AsyncDisposable & { url: string }> => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => serve(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export const portOf = (server: Server): number => {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("the server does not listen on a port");
  return address.port;
};

interface TestSession extends CollectSession<"http">, AsyncDisposable {
  readonly http: Http;
  readonly archived: Exchange[];
  readonly files: Map<string, Buffer>;
  /** `ACTS url` or `url`, for each call of the gate. */
  readonly gated: string[];
}

const TEST_LIMITS: Limits = {
  requestMs: 10_000,
  itemMs: 60_000,
  bodyBytes: 1_000_000,
  decodedBytes: 2_000_000,
  fileBytes: 3_000_000,
  redirects: 5,
  hops: 20,
};

interface TestSessionOptions extends Partial<
  Pick<HttpSessionOptions, "headers" | "publicOnly" | "validators" | "route" | "identity">
> {
  readonly limits?: Partial<Limits>;
  readonly tools?: Partial<CollectorTools>;
  readonly guard?: TargetGuardOptions;
  readonly proxies?: Proxies;
  readonly makeClient?: MakeClient;
}

/** A session with a transport of its own and an archive in memory. */
export const openTestSession = (site: string, options: TestSessionOptions = {}): TestSession => {
  const archived: Exchange[] = [];
  const files = new Map<string, Buffer>();
  const gated: string[] = [];
  const transport = createTransport({
    ...(options.guard && { guard: options.guard }),
    proxies: options.proxies,
    makeClient: options.makeClient,
  });
  const tools: CollectorTools = {
    gate: async (url, { acts }) => void gated.push(acts ? `ACTS ${url.href}` : url.href),
    archive: async (exchange) => void archived.push(exchange),
    archiveFile: async (head, body) => {
      const bytes = Buffer.concat(await Array.fromAsync(body));
      files.set(head.url, bytes);
      return { size: bytes.length, digest: `sha256:${hash("sha256", bytes)}` };
    },
    signal: new AbortController().signal,
    ...options.tools,
  };
  const session = openHttpSession({
    site,
    tools,
    limits: { ...TEST_LIMITS, ...options.limits },
    transport,
    userAgent: "sluice-test",
    ...(options.headers && { headers: options.headers }),
    ...(options.publicOnly && { publicOnly: options.publicOnly }),
    ...(options.route && { route: options.route }),
    ...(options.identity && { identity: options.identity }),
    ...(options.validators && { validators: options.validators }),
  });
  return {
    tools: session.tools,
    http: session.tools.http,
    keep: session.keep,
    kept: session.kept,
    get requests() {
      return session.requests;
    },
    get bytes() {
      return session.bytes;
    },
    get proxyBytes() {
      return session.proxyBytes;
    },
    get hasSecrets() {
      return session.hasSecrets;
    },
    close: () => session.close(),
    archived,
    files,
    gated,
    [Symbol.asyncDispose]: () => transport.close(),
  };
};

/** The failure that some work ends in; anything else it ends in is an error of the test. */
export const failureOf = async (work: () => unknown): Promise<Failure> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof FailureError) return error.failure;
    throw error;
  }
  throw new Error("expected a failure, and there was none");
};

/** Answers with a body, HTML unless said otherwise. */
export const answer = (
  response: ServerResponse,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | string[]>> = {},
  status = 200,
): void =>
  void response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers }).end(body);
