import { draw, pick } from "../county/draw.ts";
import { type Region, REGIONS, slugOf, townsPerRegion } from "./regions.ts";

/** What is known of a town, before any trouble on the way to its page. */
export interface Town {
  readonly n: number;
  readonly region: Region;
  readonly name: string;
  /** Five characters, as the statistical office numbers communes: `2A014`, `97302`. */
  readonly code: string;
  readonly path: string;
  readonly mayor: string;
  readonly street: string;
  readonly postal: string;
  /** Nine digits, without the leading zero. From the ranges that are kept free for films and books. */
  readonly phone: string;
  readonly email: string;
  readonly website: string;
}

export const TOWNS = 7689;

/** All towns of the country, in the order of its regions. Same number, same towns. */
export function townsOf(towns: number): readonly Town[] {
  return townsPerRegion(towns)
    .flatMap((count, at) => Array.from({ length: count }, (_, index) => ({ region: REGIONS[at]!, index })))
    .map(({ region, index }, n) => townOf(region, index, n));
}

function townOf(region: Region, index: number, n: number): Town {
  const roll = (salt: number) => draw(0, n, salt);
  const department = region.departments[index % region.departments.length]!;
  const number = Math.floor(index / region.departments.length) + 1;
  const code = department + String(number).padStart(5 - department.length, "0");
  const name = townName(n, roll);
  const slug = `${slugOf(name)}-${code.toLowerCase()}`;
  return {
    n,
    region,
    name,
    code,
    path: `/maire-de-${slug}`,
    mayor: `${pick(FIRST_NAMES, roll(2))} ${pick(LAST_NAMES, roll(3))}`,
    street: `${1 + (roll(4) % 140)}${pick(["", "", "", " bis"], roll(5))} ${pick(STREETS, roll(6))}`,
    postal: `${department.slice(0, 2).replace(/[AB]/, "0")}${String(roll(7) % 900).padStart(3, "0")}`,
    phone: `${pick(PHONE_RANGES, roll(8))}${String(roll(9) % 10_000).padStart(4, "0")}`,
    email: `mairie@${slug}.example`,
    website: `https://www.${slug}.example/`,
  };
}

function townName(n: number, roll: (salt: number) => number): string {
  const stem = `${pick(STEMS, roll(10))}${pick(ENDINGS, roll(11))}`;
  if (n % 97 === 5) return `${stem} ${2 + (roll(12) % 18)}e Arrondissement`;
  switch (roll(13) % 6) {
    case 0:
      return `Saint-${pick(SAINTS, roll(14))}-${pick(JOINTS, roll(15))}${stem}`;
    case 1:
      return `${stem}-${pick(JOINTS, roll(15))}${pick(RIVERS, roll(16))}`;
    case 2:
      return `L'${pick(["Haÿ", "Île", "Étang", "Œuf", "Aiguillon"], roll(14))}-${stem}`;
    default:
      return stem;
  }
}

const FIRST_NAMES = [
  "Mme Élodie",
  "M. Jean-Noël",
  "M. François",
  "Mme Maëlle",
  "Mme Agnès",
  "M. Loïc",
  "Mme Zoé",
];
const LAST_NAMES = [
  "DUPRÉ",
  "LEFÈVRE",
  "N'DIAYE",
  "DE LA TOUR",
  "GARÇON",
  "MOREAU-BRÛLÉ",
  "ÖZDEMIR",
  "LE GOFF",
];
const STREETS = [
  "rue de la République",
  "place de l'Église",
  "route du Château",
  "allée des Érables",
  "Grand'Rue",
];
const STEMS =
  "Val Mont Bel Chât Roche Font Clair Vern Brett Aub Mar Plou Ker Cast Ném Long Neuv Haut Sér".split(" ");
const ENDINGS = "ville igny ac ières ounes eau ombre ézan oët anges elle-Église ensac eray ois y".split(" ");
const SAINTS = ["Étienne", "Rémy", "Maël", "Anne", "Céré", "Genès", "Honoré"];
const JOINTS = ["sur-", "lès-", "d'", "en-", "la-"];
const RIVERS = ["Vère", "Sève", "Œillet", "Loirette", "Aÿ"];
const PHONE_RANGES = ["19900", "26191", "35301", "46571", "53649"];
