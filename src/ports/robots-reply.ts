export interface RobotsAnswer {
  /** The file's text; null when there is none (4xx): everything is allowed. */
  readonly text: string | null;
  readonly keepMs: number;
}

export type RobotsReply =
  | { readonly known: RobotsAnswer }
  | { readonly mayFetch: true }
  | { readonly mayFetch: false; readonly againInMs: number };
