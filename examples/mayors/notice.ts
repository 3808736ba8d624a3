import { draw, pick } from "../county/draw.ts";
import type { Town } from "./towns.ts";

export const FIELDS = ["mayor", "address", "phone", "email", "website"] as const;
type FieldName = (typeof FIELDS)[number];

/** One line of a town's page: what stands there, and what a reader has to make of it. */
export type Line =
  | { readonly status: "present"; readonly shown: string; readonly value: string }
  | { readonly status: "empty"; readonly shown: string }
  | { readonly status: "missing" };

export type Notice = Readonly<Record<FieldName, Line>>;

/** What a page lacks, by chance: about one in five pages lacks something. */
const GAPS: readonly { readonly field: FieldName; readonly percent: number }[] = [
  { field: "phone", percent: 3 },
  { field: "email", percent: 8 },
  { field: "website", percent: 12 },
];
const NOTHING = ["non renseigné", "Non renseigné", "", "&nbsp;", "-"];

/** The lines of a town's page, gaps included. */
export function noticeOf(town: Town): Notice {
  const notice = { ...fullNotice(town) };
  GAPS.forEach(({ field, percent }, salt) => {
    const drawn = draw(1, town.n, salt);
    if (drawn % 100 < percent) notice[field] = { status: "empty", shown: pick(NOTHING, drawn >>> 8) };
  });
  // A line that is not there at all says nothing: the town may have a website and its page may have been cut.
  if (town.n % 131 === 17) notice[pick(["email", "website"], town.n)] = { status: "missing" };
  return notice;
}

function fullNotice(town: Town): Notice {
  const lines = ["Mairie", town.street, `${town.postal} ${town.name}`];
  const present = (value: string, shown = escapeHtml(value)): Line => ({ status: "present", shown, value });
  return {
    mayor: present(town.mayor),
    address: present(lines.join(" "), lines.map(escapeHtml).join("<br>")),
    phone: present(`+33${town.phone}`, phoneAsWritten(town)),
    email: present(town.email, `<a href="mailto:${town.email}">${town.email}</a>`),
    website: present(town.website, `<a href="${town.website}">${town.website.slice(8, -1)}</a>`),
  };
}

/** Phone numbers are written in many ways. */
function phoneAsWritten({ n, phone }: Town): string {
  const pairs = `0${phone}`.match(/../g) ?? [];
  switch (n % 4) {
    case 0:
      return pairs.join(" ");
    case 1:
      return pairs.join(".");
    case 2:
      return `+33 ${phone.slice(0, 1)} ${pairs.slice(1).join(" ")}`;
    default:
      return pairs.join("");
  }
}

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#039;").replaceAll("é", "&eacute;");
