import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Role } from "../ports/registry.ts";
import type { Answer } from "../schemas/describe.ts";
import type { Actor } from "../services/context.ts";
import type { Creation } from "../services/secrets.ts";

/** Requests are what their schemas make of them, and answers may be read-only. */
export interface ApiTypes extends FastifyTypeProvider {
  validator: this["schema"] extends z.ZodType ? Answer<this["schema"]> : unknown;
  serializer: this["schema"] extends z.ZodType ? Answer<this["schema"]> : unknown;
}

export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ApiTypes
>;

declare module "fastify" {
  interface FastifyRequest {
    actor: Actor;
    /** On routes that create something; `key` is the `Idempotency-Key` that the answer is kept under. */
    creation: (Creation & { readonly key?: string }) | null;
    /** The code of the problem that it was answered with. */
    problem: string | null;
    /** Part of a flood: it is counted but not logged. */
    isUnlogged: boolean;
  }
  interface FastifyContextConfig {
    /** The lowest role that is allowed; by default, every key. */
    readonly role?: Role | "nobody";
    /** A role that is allowed beside it. */
    readonly orRole?: Role;
    /** Accepts an `Idempotency-Key`. */
    readonly creates?: boolean;
    /** The body is read as it arrives. */
    readonly isStreamed?: boolean;
    /** Members of the answer that are shown once and never stored. */
    readonly secrets?: readonly string[];
  }
}
