export interface RobotsAnswer {
  /** The file's text; null when there is none (4xx): everything is allowed. */
  readonly text: string | null;
  readonly keepMs: number;
}

export type RobotsReply =
  | { readonly known: RobotsAnswer }
  | { readonly mayFetch: true }
  | { readonly mayFetch: false; readonly againInMs: number };

/** The sites' robots.txt files, shared by all workers. */
export interface RobotsCache {
  /** The stored robots.txt of an origin; `mayFetch` is true for one caller at a time. */
  readRobots(origin: string, worker: string): Promise<RobotsReply>;
  keepRobots(origin: string, answer: RobotsAnswer): Promise<void>;
}
