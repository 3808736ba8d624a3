import type { LiveEvent } from "./event-types.ts";

/** Server-sent events as they arrive: of each its `id`, `event` and `data`; comments keep the connection open and say nothing. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent> {
  let text = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
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
