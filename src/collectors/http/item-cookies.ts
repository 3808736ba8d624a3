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

  /** Answers whether there were any. */
  takeFrom(response: WireHead, url: URL): boolean {
    let isSet = false;
    for (const [name, value] of response.headers) {
      if (name.length !== 10 || name.toLowerCase() !== "set-cookie") continue;
      this.#take(value, url);
      isSet = true;
    }
    return isSet;
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
