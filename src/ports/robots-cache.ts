export interface RobotsAnswer {
  /** The file's text; null when there is none (4xx): everything is allowed. */
  readonly text: string | null;
  readonly keepMs: number;
}

export type RobotsReply =
  | { readonly known: RobotsAnswer }
  | { readonly mayFetch: true }
  | { readonly mayFetch: false; readonly againInMs: number };

/** What workers know together of the sites' robots.txt. */
export interface RobotsCache {
  /** What is kept of an origin's robots.txt; `mayFetch` is granted to one asker at a time. */
  readRobots(origin: string, worker: string): Promise<RobotsReply>;
  keepRobots(origin: string, answer: RobotsAnswer): Promise<void>;
}
