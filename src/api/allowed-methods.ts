import type { Api } from "./api.ts";

/** Answers which methods a path has, for those that it has not. Routes are gathered as they are added. */
export const gatherMethods = (app: Api): ((path: string) => readonly string[]) => {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    const source = url
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/:[A-Za-z]+/g, "[^/]+")
      .replaceAll("\\*", ".*");
    routes.push({ pattern: new RegExp(`^${source}$`), methods: [method].flat() });
  });
  return (path) => [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
  ];
};
