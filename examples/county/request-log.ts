import { closeSync, openSync, writeSync } from "node:fs";

export interface RequestLog {
  write(line: object): void;
  close(): void;
}

const FLUSH_CHARS = 64 * 1024;
const FLUSH_MS = 500;

/** Appends JSON lines; what is not yet in the file is at most half a second old. */
export function openRequestLog(file: string): RequestLog {
  const handle = openSync(file, "a");
  let buffered = "";
  const flush = () => {
    if (buffered !== "") writeSync(handle, buffered);
    buffered = "";
  };
  const timer = setInterval(flush, FLUSH_MS).unref();
  return {
    write(line) {
      buffered += `${JSON.stringify(line)}\n`;
      if (buffered.length > FLUSH_CHARS) flush();
    },
    close() {
      clearInterval(timer);
      flush();
      closeSync(handle);
    },
  };
}
