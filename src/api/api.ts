import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Role } from "../ports/registry.ts";

export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** On whose behalf a request is made. */
export interface Who {
  readonly client: string;
  readonly role: Role;
  /** Id of its key; none on loopback without keys. */
  readonly key?: string;
}

/** What a request that creates is to be called, whoever carries it out and however often. */
export interface Once {
  /** The `Idempotency-Key` that its answer is kept under. */
  readonly key?: string;
  /** Of what is made. */
  readonly name: string;
  /** It was begun before, and may have come far: what it makes may be there. */
  readonly isAgain: boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    who: Who;
    /** On routes that create. */
    once: Once | null;
    /** The code of the problem that it was answered with. */
    problem: string | null;
    /** One of a flood: it is counted, and not logged. */
    isUnlogged: boolean;
  }
  interface FastifyContextConfig {
    /** The least role that may; everybody with a key unless given. */
    readonly role?: Role | "nobody";
    /** An `Idempotency-Key` makes it happen once. */
    readonly isOnce?: boolean;
    /** Its body is read as it arrives. */
    readonly isStreamed?: boolean;
    /** Members of the answer that are shown once and never kept. */
    readonly secrets?: readonly string[];
  }
}
