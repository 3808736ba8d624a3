import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Silence } from "./silence.ts";

const LONGEST_MS = 120_000;

/** A piece that is read from a slow disk while the request goes on without it. */
const slowPiece = (): { readonly pieces: AsyncIterator<Uint8Array>; readonly arrive: () => void } => {
  const { promise, resolve } = Promise.withResolvers<IteratorResult<Uint8Array>>();
  return {
    pieces: { next: () => promise },
    arrive: () => resolve({ done: false, value: new Uint8Array(1) }),
  };
};

const timersAfter = async (isOver: boolean): Promise<boolean> => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const silence = new Silence(LONGEST_MS);
    const { pieces, arrive } = slowPiece();
    const reader = silence.sending(pieces).getReader();
    silence.begin();
    const read = reader.read();
    if (isOver) silence.answered();
    arrive();
    await read;
    mock.timers.tick(LONGEST_MS);
    const isGivenUp = silence.signal.aborted;
    silence.answered();
    return isGivenUp;
  } finally {
    mock.timers.reset();
  }
};

test("a request fails if the server takes no further piece", async () => {
  assert.equal(await timersAfter(false), true);
});

test("a piece that arrives after the end of the request starts no timer that keeps the process alive", async () => {
  assert.equal(await timersAfter(true), false);
});
