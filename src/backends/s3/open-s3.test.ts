// e2e: starts an S3 store, and the contract suite starts this file as a process
import { basename } from "node:path";
import { after, test } from "node:test";
import { blobsSuite } from "../../ports/blobs.suite.ts";
import type { Blobs } from "../../ports/blobs.ts";
import { BUCKET, noRadosgw, Radosgw } from "../../../test/radosgw.ts";
import { openS3 } from "./open-s3.ts";

const reason = noRadosgw();
if (reason !== undefined) test("the contract of blobs", { skip: reason });
else {
  const endpoint = await Radosgw.shared({ after });
  const open = (folder: string): Promise<Blobs> =>
    openS3({ bucket: BUCKET, prefix: `${basename(folder)}/`, endpoint, pathStyle: true });
  blobsSuite("s3", open);
}
