import { join, resolve } from "node:path";
import type { Blobs } from "./blobs.ts";
import type { Ledger } from "./ledger.ts";

/** Where ledger, archive and logs are. Plain data: threads and child processes get it and open their own connections. */
export interface StorageLocation {
  /** URL of the ledger: `sqlite:FILE`, `postgres://…`, or the address of a controller. */
  readonly ledger: string;
  /** URL of the archive: `file:FOLDER`, `s3://BUCKET/PREFIX`, or the address of a controller. */
  readonly blobs: string;
  /** The data folder: logs, and by default ledger and archive. */
  readonly data: string;
  /** API key for a controller; left out if it has no keys. */
  readonly key?: string;
}

/** An opened ledger and archive. */
export interface Storage extends AsyncDisposable {
  readonly location: StorageLocation;
  /** As in `location`. */
  readonly data: string;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
}

/** `sqlite:./data/sluice.db` → scheme `sqlite` and path `./data/sluice.db`; undefined if the text has no scheme. */
export const parseStorageUrl = (
  url: string,
): { readonly scheme: string; readonly path: string } | undefined => {
  const [, scheme, path] = /^([a-z][a-z\d+.-]+):(?:\/\/(?=\/))?(.+)$/is.exec(url) ?? [];
  return scheme && path ? { scheme: scheme.toLowerCase(), path } : undefined;
};

/** A controller that serves its ledger and archive over HTTP. */
export const isController = (url: string): boolean => /^https?:/i.test(url);

/** Where a blob is: a path, or a URL if the archive is not on this machine. */
export const blobPath = ({ blobs }: Pick<StorageLocation, "blobs">, name: string): string => {
  const { scheme, path } = parseStorageUrl(blobs)!;
  if (scheme === "file") return join(path, name);
  const [place = ""] = blobs.split("?");
  return `${place.replace(/\/+$/, "")}/${name}`;
};

/** As `blobPath`, absolute: for exported rows, which are read from other folders. */
export const absoluteBlobPath = (location: Pick<StorageLocation, "blobs">, name: string): string =>
  parseStorageUrl(location.blobs)?.scheme === "file"
    ? resolve(blobPath(location, name))
    : blobPath(location, name);
