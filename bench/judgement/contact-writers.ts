import type { Locale } from "./locale.ts";
import type { Random } from "./random.ts";
import type { Writer, Written } from "./writer.ts";

const HOSTS = [
  "stadtwerke",
  "city-hall",
  "travis.co",
  "mairie-lyon3",
  "baeckerei.sued",
  "shop24",
  "x7",
  "office.gov",
] as const;
const NAMES = [
  "info",
  "clerk",
  "j.smith",
  "Tax.Office",
  "maria_lopez",
  "o'neill",
  "post",
  "kontakt+web",
  "a",
  "ventas-2",
] as const;
const PATHS = [
  "",
  "/",
  "/contact",
  "/de/amt/index.html",
  "/parcel.aspx?id=12&view=full",
  "/%C3%A4rzte/",
  "/a/b-c_d/#top",
  "/shop/?p=1,2",
] as const;

type MailForm = (name: string, host: string) => string;

const MAIL_FORMS: readonly MailForm[] = [
  (name, host) => `${name}@${host}`,
  (name, host) => `${name}@${host}`,
  (name, host) => `${name}@${host}`.toUpperCase(),
  (name, host) => `mailto:${name}@${host}`,
  (name, host) => `${name}(at)${host}`,
  (name, host) => `${name} [at] ${host}`,
  (name, host) => `Ann Roe <${name}@${host}>`,
];

export const emailWriter = ({ domain, language }: Locale, random: Random, forms = MAIL_FORMS): Writer => {
  const form = random.pick(forms);
  const word =
    random.chance(0.12) && language.emailWords.length > 0 ? `${random.pick(language.emailWords)} ` : "";
  return {
    write: (drawn) => {
      const name = drawn.pick(NAMES);
      const host = `${drawn.pick(HOSTS)}.${domain}`;
      return { text: word + form(name, host), value: `${name}@${host}` };
    },
    spoil: (drawn) => {
      const name = drawn.pick(NAMES);
      const host = `${drawn.pick(HOSTS)}.${domain}`;
      return drawn.pick([
        `${name}@`,
        `${name}@localhost`,
        `@${host}`,
        `${name}@@${host}`,
        `${name}@${host.replace(".", "..")}`,
        `${name}@.${domain}`,
        `${name}@${host},`.replace(`.${domain},`, `,${domain}`),
        `${name}.${host}`,
        `www.${host}`,
        `${name} ${host}`,
        drawn.pick(language.notes),
        `(512) 555-01${drawn.between(10, 99)}`,
        "{{ email }}",
      ]);
    },
  };
};

/** In an attribute only what a browser would follow. */
export const hrefMailWriter = (locale: Locale, random: Random): Writer =>
  emailWriter({ ...locale, language: { ...locale.language, emailWords: [] } }, random, [
    (name, host) => `mailto:${name}@${host}`,
    (name, host) => `mailto:${name}@${host}?subject=Parcel%2012`,
  ]);

const TEXT_FORMS = ["https://www.", "http://", "www.", "https://", "HTTP://WWW."] as const;

/** An address that is read from the text of a cell. */
export const shownUrlWriter = ({ domain, language }: Locale, random: Random): Writer => {
  const form = random.pick(TEXT_FORMS);
  return {
    write: (drawn) => {
      const text = `${form}${drawn.pick(HOSTS)}.${domain}${drawn.pick(PATHS)}`;
      return { text, value: /^http/i.test(text) ? text : `http://${text}` };
    },
    spoil: (drawn) =>
      drawn.pick([
        "javascript:void(0)",
        `http://${drawn.pick(HOSTS)} ${domain}`,
        `http//www.${drawn.pick(HOSTS)}.${domain}`,
        "http:///index.html",
        `mailto:${drawn.pick(NAMES)}@${drawn.pick(HOSTS)}.${domain}`,
        drawn.pick(language.notes),
        "https://{{ host }}/",
      ]),
  };
};

/** An address that is read from a link. `page` is the address of the page that it stands on. */
export const linkWriter = ({ domain, language }: Locale, random: Random, page: string): Writer => {
  const isOwn = random.chance(0.4);
  const shows = random.chance(0.5);
  return {
    write: (drawn): Written => {
      const link = isOwn
        ? drawn.pick([
            "/office/12",
            "detail.aspx?id=4&y=2",
            "../maps/x.pdf",
            "//cdn.city.example/a.png",
            "?tab=2",
          ])
        : `http${drawn.pick(["", "s"])}://www.${drawn.pick(HOSTS)}.${domain}${drawn.pick(PATHS)}`;
      return {
        text: link,
        value: new URL(link, page).href,
        shown: shows ? drawn.pick(language.linkWords) : link,
      };
    },
    spoil: (drawn) =>
      drawn.pick([
        "javascript:void(0)",
        "javascript:openMap(12)",
        "JavaScript:;",
        "http://exa mple.org/",
        "http:///x",
        `mailto:${drawn.pick(NAMES)}@${drawn.pick(HOSTS)}.${domain}`,
        "tel:+15125550142",
      ]),
  };
};
