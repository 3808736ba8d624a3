/**
 * The sort-friendly form of a URL that CDXJ indexes are ordered by: host labels from the top level down, `www` and the
 * case left out, query parameters in order. What is no http(s) URL stays as it is.
 */
export const surt = (url: string): string => {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return url;
  const host = parsed.hostname.replace(/^www\d*\.(?=.)/, "");
  const labels = host.startsWith("[") ? host : host.split(".").toReversed().join(",");
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  const query =
    parsed.search === "" ? "" : `?${parsed.search.slice(1).toLowerCase().split("&").toSorted().join("&")}`;
  return `${labels}${port})${parsed.pathname}${query}`.toLowerCase();
};
