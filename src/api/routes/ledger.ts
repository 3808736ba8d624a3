import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Blobs } from "../../ports/blobs.ts";
import {
  CLOCK_HEADER,
  decode,
  encode,
  type Greeting,
  MOST_CALL_BYTES,
  WIRE_VERBS,
  type WireVerb,
} from "../../ports/ledger-wire.ts";
import { type Ledger, LedgerError, type PulseReport } from "../../ports/ledger.ts";
import { Problem } from "../../services/problem.ts";
import type { Api } from "../api.ts";
import { addProtocol, CALLS } from "../ledger-calls.ts";
import { checkJson } from "../request-body.ts";

interface LedgerStorage {
  readonly ledger: Ledger;
  readonly blobs: Pick<Blobs, "gatherMs">;
  readonly version?: string;
  /** A monotonic clock in ms; `performance.now` by default. */
  readonly steadyMs?: () => number;
}

type AnyVerb = (...args: readonly unknown[]) => Promise<unknown>;

/** Calls that wait for work or events, over all workers. */
const MOST_WAITING = 2000;

/** The ledger for workers on other machines. Not part of the API: it changes with the program. */
export const addLedgerRoutes = (app: Api, { service }: { readonly service: LedgerStorage }): void => {
  const { ledger, steadyMs = () => performance.now() } = service;
  const process = randomUUID();
  let waiting = 0;

  const call = async (verb: WireVerb, request: FastifyRequest): Promise<unknown> => {
    const parsed = CALLS[verb].safeParse(request.body);
    if (!parsed.success)
      throw new Problem("invalid-request", `${verb}: ${parsed.error.issues[0]?.message ?? "invalid"}.`);
    const args = parsed.data;
    if (verb === "controlJob" && args[1] !== "pause" && request.actor.role === "worker")
      throw new Problem("forbidden", "A worker may only pause a job.");
    if (verb === "pulse") return await ledger.pulse(asSent(args[0] as PulseReport, lateMs(request)));
    const [part, own] = verb.split(".") as ["events" | "removals" | "documents", string | undefined];
    const port = (own ? ledger[part] : ledger) as unknown as Record<string, AnyVerb>;
    const send = () => port[own ?? part]!(...args);
    return await (verb === "awaitWork" || verb === "events.await" ? waited(send) : send());
  };

  const waited = async (send: () => Promise<unknown>): Promise<unknown> => {
    if (waiting >= MOST_WAITING)
      throw new Problem("unavailable", "Too many workers are waiting.", { retryAfterSeconds: 2 });
    waiting++;
    try {
      return await send();
    } finally {
      waiting--;
    }
  };

  /** How long the request took to arrive, if its sender knows this process's clock. */
  const lateMs = ({ headers }: FastifyRequest): number => {
    const [of, at] = String(headers[CLOCK_HEADER] ?? "").split(" ");
    return of === process ? Math.max(0, steadyMs() - Number(at)) : 0;
  };

  void app.register(async (scope) => {
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
      try {
        checkJson(body as Buffer);
        done(null, decode((body as Buffer).toString()));
      } catch (error) {
        done(
          error instanceof SyntaxError
            ? new Problem("invalid-request", "The body is not JSON.")
            : (error as Error),
        );
      }
    });
    addProtocol(scope, service.version ?? "");
    const answer = (reply: FastifyReply, status: number, value: unknown): FastifyReply =>
      reply
        .code(status)
        .headers({ [CLOCK_HEADER]: `${process} ${steadyMs()}` })
        .type("application/json; charset=utf-8")
        .send(encode(value));
    scope.get("/v1/ledger", { config: { role: "worker" }, schema: { hide: true } }, async (_request, reply) =>
      answer(reply, 200, { gatherMs: service.blobs.gatherMs } satisfies Greeting),
    );
    for (const [verb, role] of Object.entries(WIRE_VERBS))
      scope.post(
        `/v1/ledger/${verb}`,
        { config: { role }, bodyLimit: MOST_CALL_BYTES, schema: { hide: true } },
        async (request, reply) => {
          try {
            return answer(reply, 200, [await call(verb as WireVerb, request)]);
          } catch (error) {
            if (!(error instanceof LedgerError)) throw error;
            return answer(reply, 409, { code: error.code, message: error.message });
          }
        },
      );
  });
};

/** Delays of returned slots count from when the pulse was sent. */
const asSent = (report: PulseReport, lateMs: number): PulseReport =>
  lateMs === 0
    ? report
    : {
        ...report,
        returned: report.returned.map(({ lane, delaysMs }) => ({
          lane,
          delaysMs: delaysMs.map((delay) => delay - lateMs),
        })),
      };
