import type { ExtractSpec } from "../extraction/extract-spec.ts";
import { field } from "../extraction/field.ts";
import type { Fields } from "../extraction/fields.ts";
import { by } from "../extraction/place.ts";
import type { Field } from "../extraction/define-field.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import type { FieldPath, FieldSource } from "./chain.ts";

/** The `extract` block that reads the fields of a chain's last answer. */
export const extractOf = (
  fields: FieldSource,
  own: AnyScraper["extract"],
): NonNullable<AnyScraper["extract"]> => {
  if (fields.by === "extract") return own!;
  const spec: ExtractSpec = {
    from: fields.pages.length === 1 ? fields.pages[0]! : fields.pages,
    ...(fields.pages.length > 1 && { join: true }),
    ...(fields.each !== undefined && { each: by.path(fields.each) }),
    fields: fieldsOf(fields.fields),
  };
  return spec;
};

/** Names with dots are fields of groups. */
export interface FieldTree {
  readonly [name: string]: FieldPath | FieldTree;
}

export const isField = (node: FieldPath | FieldTree): node is FieldPath => typeof node["path"] === "string";

export const fieldTree = (paths: readonly FieldPath[]): FieldTree => {
  const tree: Record<string, FieldPath | FieldTree> = {};
  for (const path of paths) {
    const names = path.name.split(".");
    let inside = tree;
    for (const name of names.slice(0, -1))
      inside = (inside[name] ??= {}) as Record<string, FieldPath | FieldTree>;
    inside[names.at(-1)!] = path;
  }
  return tree;
};

const fieldsOf = (paths: readonly FieldPath[]): Fields => treeFields(fieldTree(paths));

const treeFields = (tree: FieldTree): Fields =>
  Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      isField(node) ? fieldOf(node) : field.object(treeFields(node)),
    ]),
  );

const fieldOf = ({ kind, path, options, rows, isOptional }: FieldPath): Field<unknown> => {
  const place = by.path(path);
  const make = field[kind as "text"] as (where: unknown, options: object) => Field<unknown>;
  const made = rows === undefined ? make(place, options) : field.each(place, fieldsOf(rows));
  return isOptional ? made.optional() : made;
};
