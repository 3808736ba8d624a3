import { extname } from "node:path";

/** Node runs it as a separate program. Apart from what else concerns workers, because `sluice run` starts it before it loads the rest. */
export const workerScript = new URL(
  `../programs/worker-main${extname(import.meta.filename)}`,
  import.meta.url,
);
