import type { AutoPage, Collector, CollectSession, Keep } from "../../ports/collector.ts";
import { FetchedPage } from "./fetched-page.ts";

interface Ways {
  readonly http: () => Promise<Collector<"http">>;
  readonly browser: () => Promise<Collector<"browser">>;
}

/** Runs an item over HTTP or in the browser, with the same verbs. The caller that opens the session chooses. */
export const openAutoCollector = ({ http, browser }: Ways): Collector<"auto"> => ({
  async open({ way = "http", ...options }) {
    if (way === "browser") return inBrowser(await (await browser()).open(options));
    return overHttp(await (await http()).open(options));
  },
  // Both collectors belong to the caller.
  close: async () => undefined,
});

/** The session itself, with other tools: its counts are read while it runs. */
const inBrowser = (session: CollectSession<"browser">): CollectSession<"auto"> => {
  const verbs = Object.entries(session.tools.page).filter(
    ([name]) => name !== "pdf" && name !== "playwright",
  );
  return Object.assign(session, { tools: { page: Object.fromEntries(verbs) as unknown as AutoPage } });
};

const overHttp = (session: CollectSession<"http">): CollectSession<"auto"> => {
  const page = new FetchedPage(session);
  const keep: Keep = {
    page() {
      throw new TypeError("keep.page takes a page of http. In an auto scraper, call page.keep(name)");
    },
    file: (...of) => session.keep.file(...of),
  };
  return {
    tools: { page: page.verbs },
    keep,
    kept: session.kept,
    get requests() {
      return session.requests;
    },
    get bytes() {
      return session.bytes;
    },
    get proxyBytes() {
      return session.proxyBytes;
    },
    get hasSecrets() {
      return session.hasSecrets;
    },
    get scriptSign() {
      return page.sign;
    },
    close: () => session.close(),
  };
};
