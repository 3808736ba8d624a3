type Headers = readonly (readonly [string, string])[];

export const headerOf = (headers: Headers, name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1];

/** Without parameters, in lower case; what a site does not name is bytes (RFC 9110, 8.3). */
export const mediaTypeOf = (headers: Headers): string => {
  const value = headerOf(headers, "content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  return value === undefined || value === "" ? "application/octet-stream" : value;
};

const PACKED =
  /^(image\/(?!svg|bmp)|audio\/|video\/|font\/woff)|[/+](pdf|zip|gzip|zstd|x-7z-compressed|x-rar-compressed)$/;

/** Bytes that are compressed already: packing them again costs time and saves nothing. */
export const isCompressed = (headers: Headers): boolean =>
  /\b(gzip|br|zstd|deflate)\b/i.test(headerOf(headers, "content-encoding") ?? "") ||
  PACKED.test(mediaTypeOf(headers));
