// e2e: starts an S3 store, and the contract suite starts this file as a process
import { basename } from "node:path";
import { after, test } from "node:test";
import { packedBlobs } from "../../archive/packed-blobs.ts";
import { blobsSuite } from "../../ports/blobs.suite.ts";
import { BUCKET, noRadosgw, Radosgw } from "../../../test/radosgw.ts";
import { openS3 } from "./open-s3.ts";

const reason = noRadosgw();
if (reason !== undefined) test("blobs: s3", { skip: reason });
else {
  const endpoint = await Radosgw.shared({ after });
  blobsSuite("s3", async (folder) =>
    packedBlobs(await openS3({ bucket: BUCKET, prefix: `${basename(folder)}/`, endpoint, pathStyle: true })),
  );
}
