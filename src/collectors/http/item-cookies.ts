import { createRequire } from "node:module";
import type { CookieJar } from "tough-cookie";
import type { WireHead } from "./wire.ts";

const require = createRequire(import.meta.url);

/** The cookies of one item. Most pages set none, so the jar (and its package) is made when the first one arrives. */
export class ItemCookies {
  #jar: CookieJar | undefined;

  /** The `Cookie` header for a URL, or undefined. */
  headerFor(url: URL): string | undefined {
    return this.#jar?.getCookieStringSync(url.href) || undefined;
  }

  takeFrom(response: WireHead, url: URL): void {
    for (const [name, value] of response.headers) {
      if (name.length === 10 && name.toLowerCase() === "set-cookie") this.#take(value, url);
    }
  }

  #take(cookie: string, url: URL): void {
    this.#jar ??= newJar();
    // A cookie that browsers refuse (wrong domain, public suffix, unreadable) is dropped without a word, as they do.
    this.#jar.setCookieSync(cookie, url.href, { ignoreError: true });
  }
}

const newJar = (): CookieJar => {
  const { CookieJar: Jar }: typeof import("tough-cookie") = require("tough-cookie");
  return new Jar(undefined, { looseMode: true, prefixSecurity: "silent" });
};
