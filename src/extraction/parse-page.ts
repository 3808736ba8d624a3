import type { KeptPage } from "../domain/capture.ts";
import { openDocument, parseHtml } from "./html-document.ts";
import type { ElementReading, HtmlDocument } from "./html-document.ts";
import { pageKind } from "./page-kind.ts";
import { XmlElement } from "./xml/xml-element.ts";
import { buildXmlTree } from "./xml/xml-tree.ts";

/** A page as the document that it is. Of one that is not well-formed XML, the first question throws `FailureError` with `bad-content`. */
export const parsePage = (page: Pick<KeptPage, "mediaType" | "text">): HtmlDocument =>
  pageKind(page) === "xml" ? parseXml(page.text) : parseHtml(page.text);

const parseXml = (text: string): HtmlDocument => openDocument(text, buildXmlTree, xmlReading);

const xmlReading: ElementReading<XmlElement> = {
  textOf: (element) => element.foldedText,
  htmlOf: (element, source) => element.quotedMarkup ?? source,
  attr: (element, name) => element.attributeInAnyCase(name),
  linkOf: (element) => element.link,
};
