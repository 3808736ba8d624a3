import { FailureError } from "../../domain/failure.ts";
import { BodyError, decodeBody, isGzipFile } from "./decode-body.ts";
import { readContentType } from "./decode-text.ts";
import { classifyResponse } from "./classify-response.ts";
import { HttpPage } from "./page.ts";
import type { Received } from "./item-requests.ts";
import type { ItemRequest } from "./redirect.ts";
import type { WireHead } from "./wire.ts";

/** Turns an archived response into the page that was asked for, or throws the failure that it is. */
export const receivePage = async (
  request: ItemRequest,
  received: Received,
  decodedBytes: number,
): Promise<HttpPage> => {
  const { head, exchange } = received;
  const url = request.url.href;
  const isAccepted = request.accept.includes(head.status);
  const body = await decode(received, decodedBytes, isAccepted || head.status < 300, url);
  const page = new HttpPage(url, head, body, exchange);
  const failure = classifyResponse({ head, body, mediaType: page.mediaType }, isAccepted, Date.now());
  if (failure) throw new FailureError({ ...failure, url });
  if (isUnaskedPart(request, head))
    throw new FailureError({
      kind: "bad-content",
      detail: "the site answered 206: only a part came, and nobody had asked for one",
      url,
      status: head.status,
    });
  return page;
};

/** A part is an answer only to a request for one; else it would pass for the whole. */
export const isUnaskedPart = (
  { headers, accept }: Pick<ItemRequest, "headers" | "accept">,
  { status }: Pick<WireHead, "status">,
): boolean =>
  status === 206 &&
  !accept.includes(status) &&
  !Object.keys(headers).some((name) => name.toLowerCase() === "range");

const decode = async (
  { head, body }: Received,
  decodedBytes: number,
  isGood: boolean,
  url: string,
): Promise<Buffer> => {
  try {
    const bytes = await decodeBody(body, head.header("content-encoding"), decodedBytes);
    const { mediaType } = readContentType(head.header("content-type"));
    return isGzipFile(bytes, mediaType, url) ? await decodeBody(bytes, "gzip", decodedBytes) : bytes;
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    // Of an error page the status says enough, readable or not.
    if (!isGood) return Buffer.alloc(0);
    const { kind, message: detail } = error;
    throw new FailureError({ kind, detail, url, status: head.status }, { cause: error });
  }
};
