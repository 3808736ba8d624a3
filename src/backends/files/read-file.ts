import { open, readFile } from "node:fs/promises";

const CHUNK = 256 * 1024;

export const readWhole = (path: string): Promise<Uint8Array> => readFile(path);

export const readRange = async (
  path: string,
  range: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> => {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const wanted = Math.max(0, Math.min(range.length, size - range.offset));
    const bytes = Buffer.allocUnsafeSlow(wanted);
    let filled = 0;
    while (filled < wanted) {
      const { bytesRead } = await file.read(bytes, filled, wanted - filled, range.offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await file.close();
  }
};

export async function* streamFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    while (true) {
      const bytes = Buffer.allocUnsafeSlow(CHUNK);
      const { bytesRead } = await file.read(bytes, 0, CHUNK, null);
      if (bytesRead === 0) return;
      yield bytes.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
