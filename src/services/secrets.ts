import { createHash, hash, randomBytes } from "node:crypto";
import type { KeyInfo, Role } from "../ports/registry.ts";

/** The name that was drawn for something before it is created: a request that is repeated under it finds what the first one made. */
export interface Creation {
  readonly name: string;
  /** The request was started before: what it creates may exist. */
  readonly isAgain: boolean;
}

/** An id derived from the name drawn for a creation, in hex digits: a repeated creation gets the same id. */
export const idOf = ({ name }: Creation, length: number): string =>
  createHash("sha256").update(name).digest("hex").slice(0, length);

/** 160 random bits cannot be guessed, so a plain hash is enough to store. */
const SECRET_BYTES = 20;
const KEY_PATTERN = /^sluice_[0-9a-f]{8}_[0-9a-f]{40}$/;
export const KEY_ID_LENGTH = 8;

export const hashKey = (key: string): string => hash("sha256", key);

/** Whether the text has the form of a key: only then is it looked up. */
export const isKeyLike = (text: string): boolean => KEY_PATTERN.test(text);

/** A new key, and what is stored of it. The key itself is shown only once. */
export const makeKey = (
  client: string,
  role: Role,
  now: number,
  id = randomBytes(KEY_ID_LENGTH / 2).toString("hex"),
): { readonly key: string; readonly info: KeyInfo } => {
  const prefix = `sluice_${id}`;
  const key = `${prefix}_${randomBytes(SECRET_BYTES).toString("hex")}`;
  return { key, info: { id, client, role, hash: hashKey(key), prefix, createdAt: now } };
};

/** Receivers that still use the secret before the last must have switched by now. */
const KEPT_SECRETS = 2;

/** The secrets that sign deliveries, newest first. */
interface Signing {
  readonly secrets?: readonly string[];
  readonly rotatedAs?: string;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** The new secret comes first. A secret that the same request drew before, and whose answer nobody received, is replaced. */
export const rotated = (
  { secrets = [], rotatedAs }: Signing,
  secret: string,
  name: string,
): Required<Signing> => {
  const known = rotatedAs === name ? secrets.slice(1) : secrets;
  return { secrets: [secret, ...known].slice(0, KEPT_SECRETS), rotatedAs: name };
};
