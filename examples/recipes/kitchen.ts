/** Four recipes in different markup: the page, and what a scraper has to find in it. */
export interface Recipe {
  readonly path: string;
  readonly html: string;
  readonly expected: {
    readonly title: string;
    readonly ingredients: readonly string[];
    readonly image: string;
    readonly canonicalUrl: string;
    readonly language: string;
    readonly minutes: number | null;
  };
}

const SITE = "https://kitchen.example";

interface Sheet {
  readonly path: string;
  readonly language: string;
  readonly title: string;
  readonly ingredients: readonly string[];
  readonly steps: readonly string[];
  readonly minutes: number | null;
}

const lentils: Sheet = {
  path: "/lentil-soup",
  language: "en-GB",
  title: "Lentil Soup & Toast",
  ingredients: ["250 g red lentils", "1 onion, diced", "½ tsp cumin", "4 slices of bread"],
  steps: ["Fry the onion.", "Add the lentils and a litre of water.", "Simmer for 20 minutes."],
  minutes: 35,
};
const cake: Sheet = {
  path: "/gateau-aux-pommes",
  language: "fr",
  title: "Gâteau aux pommes",
  ingredients: ["3 pommes", "200 g de farine", "120 g de sucre", "2 œufs"],
  steps: ["Éplucher les pommes.", "Mélanger le reste.", "Cuire 45 min."],
  minutes: 75,
};
const bread: Sheet = {
  path: "/zwiebelbrot",
  language: "de",
  title: "Zwiebelbrot",
  ingredients: ["500 g Mehl", "2 Zwiebeln", "1 Würfel Hefe"],
  steps: ["Teig kneten.", "Eine Stunde gehen lassen.", "Backen."],
  minutes: 120,
};
const salad: Sheet = {
  path: "/tomato-salad",
  language: "en",
  title: "Tomato Salad",
  ingredients: ["4 tomatoes", "olive oil", "salt"],
  steps: ["Cut.", "Mix."],
  minutes: null,
};

const canonicalOf = ({ path }: Sheet): string => `${SITE}${path}/`;
const imageOf = ({ path }: Sheet): string => `${SITE}/images${path}.jpg`;
const items = (texts: readonly string[], attributes = ""): string =>
  texts.map((text) => `<li${attributes}>${text}</li>`).join("");
const script = (data: object): string =>
  `<script type="application/ld+json">${JSON.stringify(data)}</script>`;

const framed = (sheet: Sheet, head: string, body: string): string => `<!DOCTYPE html>
<html lang="${sheet.language}"><head><meta charset="utf-8"><title>${sheet.title} | The kitchen</title>
<link rel="canonical" href="${canonicalOf(sheet)}">${head}</head>
<body><header><a href="/">The kitchen</a></header><main>${body}</main></body></html>
`;

/** Within a graph of other things, its name escaped as HTML, its picture cut to three sizes. */
const inGraph = (sheet: Sheet): string => {
  const recipe = {
    "@type": "Recipe",
    name: sheet.title.replace("&", "&amp;"),
    image: ["-225x225", "-320x180", ""].map((size) => imageOf(sheet).replace(".jpg", `${size}.jpg`)),
    recipeIngredient: sheet.ingredients,
    recipeInstructions: sheet.steps.map((text) => ({ "@type": "HowToStep", text })),
    totalTime: `PT${sheet.minutes}M`,
    recipeYield: ["4", "4 bowls"],
    author: { "@type": "Person", name: "Ida Kettle" },
  };
  const graph = [{ "@type": "WebSite", name: "The kitchen" }, { "@type": "WebPage" }, recipe];
  const head = `<meta property="og:image" content="${imageOf(sheet)}">${script({ "@context": "https://schema.org", "@graph": graph })}`;
  return framed(sheet, head, `<h1>You will love this soup</h1>`);
};

/** Alone in its script, with one picture, and its steps in sections. */
const alone = (sheet: Sheet): string => {
  const steps = sheet.steps.map((text) => ({ "@type": "HowToStep", text }));
  const recipe = {
    "@context": "https://schema.org",
    "@type": ["Recipe"],
    name: sheet.title,
    image: { "@type": "ImageObject", url: imageOf(sheet) },
    recipeIngredient: sheet.ingredients,
    recipeInstructions: [{ "@type": "HowToSection", name: "La pâte", itemListElement: steps }],
    totalTime: "PT1H15M",
  };
  return framed(sheet, script(recipe), `<h1>${sheet.title}</h1>`);
};

const microdata = (sheet: Sheet): string =>
  framed(
    sheet,
    `<meta property="og:image" content="${imageOf(sheet)}">`,
    `<div itemscope itemtype="https://schema.org/Recipe"><h2 itemprop="name">${sheet.title}</h2>
<time itemprop="totalTime" datetime="PT2H">2 Stunden</time>
<ul>${items(sheet.ingredients, ' itemprop="recipeIngredient"')}</ul>
<ol itemprop="recipeInstructions">${items(sheet.steps)}</ol></div>`,
  );

const plain = (sheet: Sheet): string =>
  framed(
    sheet,
    `<meta name="twitter:image" content="${imageOf(sheet)}">`,
    `<h1>${sheet.title}</h1><ul class="ingredients">${items(sheet.ingredients)}</ul><ol>${items(sheet.steps)}</ol>`,
  );

const recipeOf = (sheet: Sheet, html: string): Recipe => ({
  path: sheet.path,
  html,
  expected: {
    title: sheet.title,
    ingredients: sheet.ingredients,
    image: imageOf(sheet),
    canonicalUrl: canonicalOf(sheet),
    language: sheet.language,
    minutes: sheet.minutes,
  },
});

export const RECIPES: readonly Recipe[] = [
  recipeOf(lentils, inGraph(lentils)),
  recipeOf(cake, alone(cake)),
  recipeOf(bread, microdata(bread)),
  recipeOf(salad, plain(salad)),
];
