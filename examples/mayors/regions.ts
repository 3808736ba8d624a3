/** A region, its departments, and its share of the country's towns in thousandths. */
export interface Region {
  readonly name: string;
  readonly slug: string;
  readonly departments: readonly string[];
  readonly share: number;
}

const region = (name: string, share: number, departments: string): Region => ({
  name,
  slug: slugOf(name),
  share,
  departments: departments.split(" "),
});

/** As in an address: `Provence-Alpes-Côte d'Azur` is `provence-alpes-cote-d-azur`. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/œ/gi, "oe")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

export const REGIONS: readonly Region[] = [
  region("Auvergne-Rhône-Alpes", 116, "01 03 07 15 26 38 42 43 63 69 73 74"),
  region("Bourgogne-Franche-Comté", 105, "21 25 39 58 70 71 89 90"),
  region("Bretagne", 35, "22 29 35 56"),
  region("Centre-Val de Loire", 50, "18 28 36 37 41 45"),
  region("Corse", 11, "2A 2B"),
  region("Grand Est", 146, "08 10 51 52 54 55 57 67 68 88"),
  region("Hauts-de-France", 108, "02 59 60 62 80"),
  region("Île-de-France", 37, "75 77 78 91 92 93 94 95"),
  region("Normandie", 76, "14 27 50 61 76"),
  region("Nouvelle-Aquitaine", 123, "16 17 19 23 24 33 40 47 64 79 86 87"),
  region("Occitanie", 127, "09 11 12 30 31 32 34 46 48 65 66 81 82"),
  region("Pays de la Loire", 35, "44 49 53 72 85"),
  region("Provence-Alpes-Côte d'Azur", 27, "04 05 06 13 83 84"),
  region("Guadeloupe", 1, "971"),
  region("Martinique", 1, "972"),
  region("Guyane", 1, "973"),
  region("La Réunion", 1, "974"),
  region("Mayotte", 1, "976"),
];

/** How many towns each region has, in the order of `REGIONS`; the first takes what rounding leaves. */
export function townsPerRegion(towns: number): number[] {
  const total = REGIONS.reduce((sum, { share }) => sum + share, 0);
  const counts = REGIONS.map(({ share }) => Math.max(1, Math.floor((towns * share) / total)));
  counts[0]! += towns - counts.reduce((sum, count) => sum + count, 0);
  if (counts[0]! < 1) throw new RangeError(`${towns} towns are too few for ${REGIONS.length} regions`);
  return counts;
}
