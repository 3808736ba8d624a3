import { decodeHTML } from "entities";
import type { Taken } from "../scan/page-query.ts";
import { quoted, type Reading } from "./reading.ts";

/** The address may be in the text, the link, Cloudflare's attribute, or an element further inside. */
export const EMAIL_TAKES: readonly Taken[] = ["text", "link", { attribute: "data-cfemail" }, "html"];

const ADDRESS =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?:\p{L}{2,63}|xn--[a-z0-9-]+)$/u;
const LONGEST = 254;
/** A label in any language: `Courriel :`, `Adres e-mail:`. */
const PREFIX = /^\p{L}[\p{L}\s./-]{0,30}?\s?[:：]\s*(?=\S)/u;
const IN_ANGLES = /^[^<>@]*<\s*([^<>\s]+)\s*>$/;
const CLOUDFLARE = /(?:data-cfemail\s*=\s*["']?|\/cdn-cgi\/l\/email-protection#)([\da-f]{6,})/i;
const MAILTO = /href\s*=\s*(?:"\s*mailto:([^"]*)"|'\s*mailto:([^']*)'|mailto:([^\s>]*))/i;

/** Chooses the text that contains the address. */
export function pickEmail([text, link, cloudflare, html]: readonly (string | undefined)[]):
  | string
  | undefined {
  if (cloudflare !== undefined) return decodeCloudflare(cloudflare) ?? text;
  const isProtected = /email.protected/i.test(text ?? "");
  if (text?.includes("@") && !isProtected) return text;
  if (/^mailto:/i.test(link ?? "")) return link;
  const hidden = CLOUDFLARE.exec(link ?? "")?.[1] ?? CLOUDFLARE.exec(html ?? "")?.[1];
  if (hidden !== undefined) return decodeCloudflare(hidden) ?? text;
  const mailto = MAILTO.exec(html ?? "");
  const inside = mailto?.[1] ?? mailto?.[2] ?? mailto?.[3];
  return inside === undefined ? text : `mailto:${decodeHTML(inside)}`;
}

/** The first byte is the XOR key of the others. */
function decodeCloudflare(hex: string): string | undefined {
  if (!/^(?:[\da-f]{2}){2,}$/i.test(hex)) return undefined;
  const bytes = Buffer.from(hex, "hex");
  const key = bytes[0] ?? 0;
  return Buffer.from(bytes.subarray(1).map((byte) => byte ^ key)).toString("utf8");
}

export function emailReader(deobfuscates: boolean): (text: string) => Reading<string> {
  return (text) => {
    if (text.length > 4 * LONGEST) return { problem: `${quoted(text)} is not an e-mail address` };
    const named = /^mailto:/i.test(text) ? text : text.replace(PREFIX, "");
    let plain = /^mailto:/i.test(named) ? ofLink(named) : named;
    if (plain === "") return { isEmpty: true };
    plain = IN_ANGLES.exec(plain)?.[1] ?? plain;
    plain = withoutDisguise(plain, deobfuscates);
    plain = plain.replace("＠", "@").replace(/[.,;]+$/, "");
    if (plain.length > LONGEST || !ADDRESS.test(plain))
      return { problem: `${quoted(text)} is not an e-mail address` };
    const at = plain.lastIndexOf("@");
    return { value: plain.slice(0, at) + plain.slice(at).toLowerCase() };
  };
}

function ofLink(link: string): string {
  const address = link
    .replace(/^mailto:/i, "")
    .replace(/\?.*$/s, "")
    .trim();
  try {
    return decodeURIComponent(address).trim();
  } catch {
    return address;
  }
}

/** In brackets they can mean nothing else. */
const AT =
  /\s*[[({<]\s*(?:at|@|ät|arobase|arroba|chiocciola|apenstaartje|małpa|malpa|snabel-?a|bei)\s*[\])}>]\s*/iu;
const DOT = /\s*[[({<]\s*(?:dot|punkt|point|punto|ponto|punt|kropka|prick|\.)\s*[\])}>]\s*/giu;
const AT_WORD = /\s+(?:at|AT)\s+/u;
const DOT_WORD = /\s+(?:dot|DOT)\s+/gu;

function withoutDisguise(text: string, readsWords: boolean): string {
  const plain = text.replace(AT, "@").replace(DOT, ".");
  return readsWords ? plain.replace(AT_WORD, "@").replace(DOT_WORD, ".") : plain;
}
