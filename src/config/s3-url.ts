import { ConfigError } from "./check-config.ts";

/** `s3://BUCKET/PREFIX?endpoint=…`, taken apart. Credentials are never in the URL. */
export interface S3Url {
  readonly bucket: string;
  /** Empty, or with a `/` at its end. */
  readonly prefix: string;
  readonly endpoint?: string;
  readonly pathStyle?: boolean;
  readonly region?: string;
  readonly encryption?: "AES256" | "aws:kms";
  readonly kmsKey?: string;
  /** For 1,000 requests. */
  readonly writePrice?: number;
  readonly readPrice?: number;
}

const OPTIONS = ["endpoint", "pathStyle", "region", "encryption", "kmsKey", "writePrice", "readPrice"];
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Names of blobs have 900 characters at most, keys 1,024. */
const LONGEST_PREFIX = 120;

/** The message does not quote the URL: somebody may have written a password into it. */
export const parseS3Url = (text: string): S3Url => {
  const refuse = (problem: string): never => {
    throw new ConfigError("bad-config", `Storage URL for \`blobs\`: ${problem}`);
  };
  const url = URL.parse(text);
  if (!url || !/^s3:\/\//i.test(text)) return refuse("expected s3://BUCKET/PREFIX.");
  if (url.username !== "" || url.password !== "")
    return refuse(
      "it must not contain keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile or role.",
    );
  const bucket = url.host;
  if (!BUCKET.test(bucket)) return refuse("the bucket name is not valid. Expected s3://BUCKET/PREFIX.");
  const prefix = url.pathname.replace(/^\/+/, "").replace(/\/*$/, "/").replace(/^\/$/, "");
  if (prefix.length > LONGEST_PREFIX || !/^([\w.=+@~,-]+\/)*$/.test(prefix))
    return refuse(
      `its prefix must be segments of A-Z a-z 0-9 _ . = + @ ~ , - joined by "/", at most ${LONGEST_PREFIX} characters.`,
    );
  const options = Object.fromEntries(url.searchParams);
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined)
    return refuse(`unknown option \`${unknown.slice(0, 40)}\`. Expected some of: ${OPTIONS.join(", ")}.`);
  const { endpoint, pathStyle, region, encryption, kmsKey } = options;
  const prices = ["writePrice", "readPrice"].filter((name) => options[name] !== undefined);
  const wrong = prices.find((name) => !/^\d{1,4}(\.\d+)?$/.test(options[name]!));
  if (wrong !== undefined)
    return refuse(`\`${wrong}\` must be the price of 1,000 requests, for example 0.005.`);
  if (endpoint !== undefined && !/^https?:\/\/[^@/]+\/?$/.test(endpoint))
    return refuse("`endpoint` must be like https://s3.example.org, without a path and without keys.");
  if (pathStyle !== undefined && pathStyle !== "0" && pathStyle !== "1")
    return refuse("`pathStyle` must be 1 or 0.");
  if (encryption !== undefined && encryption !== "AES256" && encryption !== "aws:kms")
    return refuse("`encryption` must be AES256 or aws:kms.");
  if (kmsKey !== undefined && encryption !== "aws:kms") return refuse("`kmsKey` needs encryption=aws:kms.");
  return {
    bucket,
    prefix,
    ...(endpoint !== undefined && { endpoint }),
    ...(pathStyle !== undefined && { pathStyle: pathStyle === "1" }),
    ...(region !== undefined && { region }),
    ...(encryption !== undefined && { encryption }),
    ...(kmsKey !== undefined && { kmsKey }),
    ...Object.fromEntries(prices.map((name) => [name, Number(options[name])])),
  };
};
