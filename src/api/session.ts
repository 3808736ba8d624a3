import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { KeyInfo } from "../ports/registry.ts";
import { Problem } from "../services/problem.ts";
import { hashKey } from "../services/secrets.ts";

/**
 * A browser's session: the API key, sealed in a cookie that scripts cannot read. The seal's key is the stored hash of the API key, so every controller can open it, nothing
 * has to be stored, and it ends with the API key. Someone who steals the cookie does not have the API key; someone who reads the registry has neither (decision 33).
 */
export interface Session {
  readonly key: string;
  readonly expiresAt: number;
}

export const SESSION_MS = 12 * 60 * 60 * 1000;
const COOKIE = "sluice_session";
const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MOST_CHARS = 1000;

const sessionSchema = z.object({ key: z.string(), expiresAt: z.number() });

export const sealSession = (session: Session, { id, client, hash }: KeyInfo): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, Buffer.from(hash, "hex"), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(session)), cipher.final()]);
  return `${id}.${client}~${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`;
};

type ListKeys = (client: string) => Promise<readonly KeyInfo[]>;

/** Undefined if the cookie is not a session of a key, or if it is over. */
const openSession = async (cookie: string, listKeys: ListKeys, now: number): Promise<Session | undefined> => {
  const [, id, client, sealed] = /^([0-9a-f]+)\.([\w.-]+)~([\w-]+)$/.exec(cookie) ?? [];
  if (id === undefined || client === undefined || sealed === undefined) return undefined;
  const info = (await listKeys(client)).find((key) => key.id === id);
  const session = info && unseal(Buffer.from(sealed, "base64url"), info.hash);
  return session && session.expiresAt > now && hashKey(session.key) === info.hash ? session : undefined;
};

const MOST_KEPT = 10_000;

/** Sessions that were opened before. Whether their keys are still valid is checked elsewhere, for every request. */
export class SessionCache {
  readonly #listKeys: ListKeys;
  readonly #now: () => number;
  readonly #opened = new Map<string, Session>();

  constructor(listKeys: ListKeys, now: () => number) {
    this.#listKeys = listKeys;
    this.#now = now;
  }

  isKnown(cookie: string): boolean {
    return this.#opened.has(cookie);
  }

  async open(cookie: string): Promise<Session | undefined> {
    const now = this.#now();
    const kept = this.#opened.get(cookie);
    if (kept && kept.expiresAt > now) return kept;
    this.#opened.delete(cookie);
    const session = await openSession(cookie, this.#listKeys, now);
    if (this.#opened.size >= MOST_KEPT) this.#opened.clear();
    if (session) this.#opened.set(cookie, session);
    return session;
  }
}

const unseal = (bytes: Buffer, hash: string): Session | undefined => {
  try {
    const opener = createDecipheriv(ALGORITHM, Buffer.from(hash, "hex"), bytes.subarray(0, IV_BYTES));
    opener.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = Buffer.concat([opener.update(bytes.subarray(IV_BYTES + TAG_BYTES)), opener.final()]);
    return sessionSchema.parse(JSON.parse(text.toString()));
  } catch {
    return undefined; // changed, or sealed for another key
  }
};

export const cookieOf = ({ headers }: Pick<FastifyRequest, "headers">): string | undefined => {
  for (const part of (headers.cookie ?? "").split(";")) {
    const equals = part.indexOf("=");
    const text = part.slice(equals + 1).trim();
    if (part.slice(0, equals).trim() === COOKIE && text !== "" && text.length <= MOST_CHARS) return text;
  }
  return undefined;
};

/** An empty value removes the cookie. */
export const cookieHeader = (text: string, isSecure: boolean): string => {
  const seconds = text === "" ? 0 : SESSION_MS / 1000;
  return `${COOKIE}=${text}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
};

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
const OWN_HEADER = "x-sluice-session";

/** A change that comes with a cookie must come from the dashboard: no page of another origin can send its header. */
export const refuseForeign = ({ method, headers }: Pick<FastifyRequest, "method" | "headers">): void => {
  if (READS.has(method)) return;
  const { origin, host } = headers;
  const isOwn = origin === undefined || URL.parse(origin)?.host === host;
  if (isOwn && headers[OWN_HEADER] !== undefined) return;
  throw new Problem(
    "forbidden",
    `A change that is authorized by a cookie needs the header ${OWN_HEADER} and must come from this server's own pages. Programs send an API key instead.`,
  );
};
