/** What the client streams: inputs to a job, and live events. */
export type InputStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

export interface AddInputs {
  /** NDJSON, one object per line, by default. */
  readonly format?: "ndjson" | "csv";
  readonly isGzip?: boolean;
  /** Number of inputs of the upload before the first one in this body. */
  readonly offset?: number;
  /** No more inputs will come. */
  readonly seal?: boolean;
  readonly signal?: AbortSignal;
}

/** An event of a job. */
export interface LiveEvent {
  /** As in webhooks; `reset` if events were missed: read the jobs again. */
  readonly type: string;
  /** Pass it as `lastEventId` to continue after it; absent on `job.progress`, which is not kept. */
  readonly id?: string;
  readonly timestamp?: string;
  /** `job`, `client`, `scraper`, `state`, `counts`, and more depending on the type. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Listening {
  /** The last event that was received: the stream starts with those after it. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** The server has answered; events follow. */
  readonly onOpen?: () => void;
}

/** Server-sent events as they arrive. Comments only keep the connection open and are skipped. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent> {
  let text = "";
  // The types of Node and of browsers disagree on what a decoder takes.
  const decoder = new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>;
  for await (const piece of stream.pipeThrough(decoder)) {
    text += piece;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = readBlock(block);
      if (event) yield event;
    }
  }
}

const readBlock = (block: string): LiveEvent | undefined => {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const type = fields.get("event");
  if (type === undefined) return undefined;
  const id = fields.get("id");
  const { timestamp, data = {} } = JSON.parse(fields.get("data") ?? "{}") as Partial<LiveEvent>;
  return { type, ...(id !== undefined && { id }), ...(timestamp !== undefined && { timestamp }), data };
};
