import { timingSafeEqual } from "node:crypto";
import type { ClientInfo, KeyInfo, Registry } from "../ports/registry.ts";
import { hashKey, isKeyLike } from "../services/secrets.ts";

interface KnownKey {
  readonly info: KeyInfo;
  readonly client: ClientInfo | undefined;
}

interface Entry {
  readonly known: KnownKey | undefined;
  readonly readAt: number;
}

/** Revoking a key takes effect within this time. */
const KEPT_MS = 500;
const MOST_KEPT = 10_000;
const TOUCH_MS = 60_000;

/** Keys by their hashes, read from the registry again after half a second. */
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

  /** As soon as there is a key, even a revoked one, every request needs one. */
  async hasKeys(): Promise<boolean> {
    if (this.#hasKeys) return true;
    const now = this.#now();
    if (now - this.#keysReadAt < KEPT_MS) return false;
    this.#hasKeys = (await this.#registry.listKeys()).length > 0;
    this.#keysReadAt = now;
    return this.#hasKeys;
  }

  /** The key was valid when it was last used here. */
  isKnown(key: string): boolean {
    return this.#entries.get(hashKey(key))?.known !== undefined;
  }

  /** Undefined if the key is unknown or revoked. */
  async find(key: string): Promise<KnownKey | undefined> {
    if (!isKeyLike(key)) return undefined;
    const hash = hashKey(key);
    const now = this.#now();
    const kept = this.#entries.get(hash);
    const known =
      kept && now - kept.readAt < KEPT_MS && now >= kept.readAt ? kept.known : await this.#read(hash, now);
    if (!known || (known.info.revokedAt !== undefined && known.info.revokedAt <= now)) return undefined;
    await this.#touch(known.info.id, now);
    return known;
  }

  /** Changes made by this controller take effect at once. */
  forget(): void {
    this.#entries.clear();
  }

  async #read(hash: string, now: number): Promise<KnownKey | undefined> {
    const info = await this.#registry.findKey(hash);
    const isIt = info !== undefined && timingSafeEqual(Buffer.from(info.hash), Buffer.from(hash));
    const known = isIt ? { info, client: await this.#registry.readClient(info.client) } : undefined;
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
