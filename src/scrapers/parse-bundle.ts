import { z } from "zod";
import { type Bundle, MOST_BUNDLE_BYTES, BUNDLE_NAME, BUNDLE_VERSION } from "./bundle.ts";
import { ScraperLoadError } from "./check-scraper.ts";

const MOST_FILES = 2000;
/** Nothing leads out of the folder that a bundle is unpacked into. */
const PATH = /^(?:code|packages)(?:\/(?!\.{1,2}(?:\/|$))[^/\\\p{Cc}]{1,200}){1,40}$/u;

const path = z.string().max(1000).regex(PATH);
const bundleSchema = z.strictObject({
  format: z.literal(1),
  name: z.string().regex(BUNDLE_NAME),
  version: z.string().regex(BUNDLE_VERSION),
  entry: path,
  packages: z.record(z.string().max(300), path),
  files: z.record(path, z.string()),
  binary: z.record(path, z.base64()),
});

/** Bytes from outside. Throws `ScraperLoadError`. */
export const parseBundle = (bytes: Uint8Array): Bundle => {
  const refuse = (problem: string): never => {
    throw new ScraperLoadError(
      "broken-scraper",
      `This is not a bundle of a scraper: ${problem}. Make it with \`sluice deploy\` of the same version of Sluice.`,
    );
  };
  if (bytes.length > MOST_BUNDLE_BYTES) refuse("it is larger than 16 MB");
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    refuse("it is not JSON");
  }
  const parsed = bundleSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`\`${issue?.path.join(".")}\`: ${issue?.message}`);
  }
  const { format: _format, ...bundle } = parsed.data;
  const paths = [...Object.keys(bundle.files), ...Object.keys(bundle.binary)];
  if (paths.length > MOST_FILES) refuse(`it has more than ${MOST_FILES} files`);
  const missing = [bundle.entry, ...Object.values(bundle.packages)].find((one) => !paths.includes(one));
  if (missing !== undefined) refuse(`it has no file ${missing}`);
  return bundle;
};
