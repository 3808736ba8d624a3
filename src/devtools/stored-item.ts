import { readCapture } from "../archive/read-capture.ts";
import { storedPage } from "../collectors/http/page.ts";
import type { KeptPage } from "../domain/capture.ts";
import type { ItemView } from "../domain/item.ts";
import type { Blobs } from "../ports/blobs.ts";

/** The pages that an item kept for extraction, read back from the archive. Files of their own, such as PDFs, are none. */
export const storedPages = async (blobs: Blobs, { captures }: ItemView): Promise<KeptPage[]> =>
  await Promise.all(
    captures
      .filter(({ blob }) => blob.endsWith(".warc.gz"))
      .map(async (ref) => storedPage(ref.name, await readCapture(blobs, ref))),
  );
