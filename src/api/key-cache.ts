import { timingSafeEqual } from "node:crypto";
import type { ClientInfo, KeyInfo, Registry } from "../ports/registry.ts";
import { hashKey, isKeyLike } from "./api-key.ts";

interface KnownKey {
  readonly card: KeyInfo;
  readonly client: ClientInfo | undefined;
}

interface Entry {
  readonly known: KnownKey | undefined;
  readonly readAt: number;
}

/** A revoked key works no longer than this on. */
const KEPT_MS = 500;
const MOST_KEPT = 10_000;
const TOUCH_MS = 60_000;

/** Knows keys by their hashes, and asks the registry again after half a second. */
export class KeyCache {
  readonly #registry: Registry;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #touched = new Map<string, number>();
  #hasKeys = false;
  #keysReadAt = -Infinity;

  constructor(registry: Registry, now: () => number) {
    this.#registry = registry;
    this.#now = now;
  }

  /** Once there is a key, revoked or not, nobody comes in without one any more. */
  async hasKeys(): Promise<boolean> {
    if (this.#hasKeys) return true;
    const now = this.#now();
    if (now - this.#keysReadAt < KEPT_MS) return false;
    this.#hasKeys = (await this.#registry.listKeys()).length > 0;
    this.#keysReadAt = now;
    return this.#hasKeys;
  }

  /** It was good when it was last used here. */
  isKnown(key: string): boolean {
    return this.#entries.get(hashKey(key))?.known !== undefined;
  }

  /** Undefined for one that is not known, or revoked. */
  async find(key: string): Promise<KnownKey | undefined> {
    if (!isKeyLike(key)) return undefined;
    const hash = hashKey(key);
    const now = this.#now();
    const kept = this.#entries.get(hash);
    const known =
      kept && now - kept.readAt < KEPT_MS && now >= kept.readAt ? kept.known : await this.#read(hash, now);
    if (!known || (known.card.revokedAt !== undefined && known.card.revokedAt <= now)) return undefined;
    await this.#touch(known.card.id, now);
    return known;
  }

  /** Its next use asks the registry: what this controller has changed holds at once. */
  forget(): void {
    this.#entries.clear();
  }

  async #read(hash: string, now: number): Promise<KnownKey | undefined> {
    const card = await this.#registry.findKey(hash);
    const isIt = card !== undefined && timingSafeEqual(Buffer.from(card.hash), Buffer.from(hash));
    const known = isIt ? { card, client: await this.#registry.readClient(card.client) } : undefined;
    if (this.#entries.size >= MOST_KEPT) this.#entries.clear();
    this.#entries.set(hash, { known, readAt: now });
    return known;
  }

  async #touch(id: string, now: number): Promise<void> {
    if (now - (this.#touched.get(id) ?? -Infinity) < TOUCH_MS) return;
    this.#touched.set(id, now);
    await this.#registry.touchKey(id, now);
  }
}
