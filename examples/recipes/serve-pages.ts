import { closeServer, listenOnAll } from "../county/listen.ts";
import { reply } from "../county/reply.ts";

export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** Serves pages by their path, on loopback. */
export async function servePages(pages: ReadonlyMap<string, string>): Promise<Served> {
  const { port, servers } = await listenOnAll(["127.0.0.1"], 0, () => (req, res) => {
    const page = pages.get(req.url ?? "");
    reply(res, page === undefined ? 404 : 200, page ?? "<p>No such page</p>");
  });
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => void (await Promise.all(servers.map(closeServer))),
  };
}
