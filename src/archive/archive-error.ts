export type ArchiveErrorCode = "damaged";

/** Stored bytes are not what was stored. Names the blob and what did not fit. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;
  readonly blob: string;
  /** Key of the item whose records they are, where no other item is concerned. */
  readonly item: string | undefined;
  constructor(
    code: ArchiveErrorCode,
    blob: string,
    message: string,
    { item, ...options }: ErrorOptions & { readonly item?: string } = {},
  ) {
    super(message, options);
    this.name = "ArchiveError";
    this.code = code;
    this.blob = blob;
    this.item = item;
  }
}
