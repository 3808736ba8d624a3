import { by, defineScraper, field } from "sluice-jobs";
import { z } from "zod";

/** `soup-225x225.jpg`: cut to less than 500 pixels, and so named by the site's software. */
const THUMBNAIL = /-(?:\d{1,2}|[1-4]\d\d)x\d+\.\w+$/;

/** A checkbox before a line. */
const CHECKBOX = /^[▢☐□]\s*/u;

const recipe = (path: string) => by.jsonLd("Recipe", path);

/**
 * One scraper for any recipe page. Most sites describe their recipes in JSON-LD, for search engines; where one does not, or describes
 * less than it shows, microdata, meta tags and a few habits of the trade stand in. Nothing in here knows a site by its name.
 */
export default defineScraper({
  name: "recipes",
  input: z.object({ url: z.url() }),

  async collect({ input, http, keep }) {
    keep.page("recipe", await http.get(input.url));
  },

  extract: {
    from: "recipe",
    fields: {
      title: field.text([
        recipe("name"),
        '[itemtype$="/Recipe"] [itemprop="name"]',
        "h1",
        by.meta("og:title"),
      ]),
      ingredients: field.list(
        [
          // A widespread plugin: its list also knows groups, and pans and knives are no ingredients.
          '.wprm-recipe-ingredient-group:not(:has(h4:icontains("equipment"))) .wprm-recipe-ingredient',
          recipe("recipeIngredient[]"),
          '[itemprop="recipeIngredient"], [itemprop="ingredients"]',
          ".ingredients li",
        ],
        { transform: (line) => line.replace(CHECKBOX, "") },
      ),
      // What the page shows of itself when it is shared; the recipe's own data often begins with thumbnails.
      image: field.url([by.meta("twitter:image"), recipe("image"), by.meta("og:image")], {
        transform: (link) => (THUMBNAIL.test(link) ? "" : link),
      }),
      canonicalUrl: field.url(['link[rel="canonical"]', by.meta("og:url"), recipe("url")]),
      language: field.text(by.attr("html", "lang")),
      yields: field
        .text([recipe("recipeYield[-1]"), recipe("recipeYield"), '[itemprop="recipeYield"]'])
        .optional(),
      minutes: field
        .number([recipe("totalTime"), by.meta("totalTime"), by.attr('[itemprop="totalTime"]', "datetime")], {
          transform: minutesOf,
        })
        .optional(),
      author: field.text([recipe("author.name"), by.meta("author")]).optional(),
      instructions: field
        .list([
          recipe("recipeInstructions[].text"),
          // Steps in sections.
          recipe("recipeInstructions[].itemListElement[].text"),
          recipe("recipeInstructions[]"),
          '[itemprop="recipeInstructions"] li, li[itemprop="recipeInstructions"]',
        ])
        .optional(),
    },
  },
});

/** `PT1H15M`, as schema.org writes durations, is 75; anything else is left for the field to refuse. */
function minutesOf(duration: string): string {
  const parts = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:\d+S)?$/.exec(duration);
  if (parts === null) return duration;
  const [days = 0, hours = 0, minutes = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return String((days * 24 + hours) * 60 + minutes);
}
