import { createHash, randomBytes } from "node:crypto";
import type { KeyInfo, Role } from "../ports/registry.ts";

/** 160 random bits: a plain hash is enough to keep it by, there is nothing to guess. */
const SECRET_BYTES = 20;
const PATTERN = /^sluice_[0-9a-f]{8}_[0-9a-f]{40}$/;

export const hashKey = (key: string): string => createHash("sha256").update(key).digest("hex");

/** Whether it is worth asking the registry. */
export const isKeyLike = (text: string): boolean => PATTERN.test(text);

/** Hex digits of a key's id. */
export const KEY_ID_LENGTH = 8;

/** A new key, and what is kept of it. The key itself is shown once. */
export const makeKey = (
  client: string,
  role: Role,
  now: number,
  id = randomBytes(KEY_ID_LENGTH / 2).toString("hex"),
): { readonly key: string; readonly card: KeyInfo } => {
  const prefix = `sluice_${id}`;
  const key = `${prefix}_${randomBytes(SECRET_BYTES).toString("hex")}`;
  return { key, card: { id, client, role, hash: hashKey(key), prefix, createdAt: now } };
};
