import assert from "node:assert/strict";
import { test } from "node:test";
import { parseS3Url } from "./s3-url.ts";

test("bucket, prefix and options of an S3 URL", () => {
  assert.deepEqual(parseS3Url("s3://pages"), { bucket: "pages", prefix: "" });
  assert.deepEqual(parseS3Url("s3://pages/a/b/"), { bucket: "pages", prefix: "a/b/" });
  assert.deepEqual(
    parseS3Url(
      "s3://my.pages/x?endpoint=http://127.0.0.1:9000&pathStyle=1&region=eu-west-1&encryption=aws:kms&kmsKey=k&writePrice=0.005",
    ),
    {
      bucket: "my.pages",
      prefix: "x/",
      endpoint: "http://127.0.0.1:9000",
      pathStyle: true,
      region: "eu-west-1",
      encryption: "aws:kms",
      kmsKey: "k",
      writePrice: 0.005,
    },
  );
});

test("an invalid URL is refused with what to do, and is not quoted", () => {
  const cases: [string, RegExp][] = [
    ["s3:secret", /expected s3:\/\/BUCKET\/PREFIX/],
    ["s3://id:secret@pages/x", /AWS_ACCESS_KEY_ID/],
    ["s3://UP_secret/x", /bucket name is not valid/],
    ["s3://pages/a secret", /its prefix/],
    ["s3://pages?pathstyle=secret", /unknown option `pathstyle`\. Expected some of: endpoint, pathStyle/],
    ["s3://pages?endpoint=http://id:secret@host", /`endpoint`/],
    ["s3://pages?pathStyle=secret", /`pathStyle` must be 1 or 0/],
    ["s3://pages?encryption=secret", /AES256 or aws:kms/],
    ["s3://pages?readPrice=secret", /`readPrice` must be the price/],
    ["s3://pages?kmsKey=secret", /needs encryption=aws:kms/],
  ];
  for (const [url, message] of cases)
    assert.throws(
      () => parseS3Url(url),
      (error: Error) => message.test(error.message) && !error.message.includes("secret"),
      url,
    );
});
