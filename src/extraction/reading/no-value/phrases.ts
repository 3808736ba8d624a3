import { ENGLISH } from "./english.ts";
import { GERMANIC } from "./germanic.ts";
import type { NoValueLanguage } from "./grammar.ts";
import { POLISH } from "./polish.ts";
import { ROMANCE } from "./romance.ts";

const LANGUAGES: readonly NoValueLanguage[] = [ENGLISH, ...GERMANIC, ...ROMANCE, POLISH];

const sentences = new Set(LANGUAGES.flatMap((language) => language.sentences));

/** Most texts have none of these words, and are told so without a look at ten languages. */
const bySign = new Map<string, NoValueLanguage[]>();
for (const language of LANGUAGES)
  for (const sign of language.signs) {
    const known = bySign.get(sign);
    if (known === undefined) bySign.set(sign, [language]);
    else known.push(language);
  }

/** Whether a text says that there is nothing, in one of ten languages: "None on file", "non renseignée", "keine Angaben vorhanden". */
export function saysNone(text: string, kind: "words" | "value"): boolean {
  const plain = withoutAccents(text);
  if (sentences.has(plain)) return true;
  const words = plain.replace(ELIDED, "$& ").split(/,? /);
  return words.some((word) => bySign.get(word)?.some((language) => language.saysNone(words, kind)) === true);
}

/** `d'information`, `nessun'indicazione`: two words. */
const ELIDED = /(?<=^| )(?:d|l|nessun|dell|sull)'/g;

const PLAIN: Readonly<Record<string, string>> = { ł: "l", ø: "o", æ: "ae", œ: "oe", ß: "ss", "’": "'" };

/** `Čas` as `cas`, `Øl` as `ol`: sites often leave the accents out. */
function withoutAccents(text: string): string {
  // eslint-disable-next-line no-control-regex -- all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[łøæœß’]/g, (letter) => PLAIN[letter] ?? letter);
}
