export const isHttp = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:";

/** Moves user name and password out of a URL into an `Authorization` for its origin, and drops its fragment. */
export const takeCredentials = (url: URL, byOrigin: Map<string, string>): void => {
  if (url.hash !== "") url.hash = "";
  if (url.username === "" && url.password === "") return;
  const pair = `${decode(url.username)}:${decode(url.password)}`;
  byOrigin.set(url.origin, `Basic ${Buffer.from(pair).toString("base64")}`);
  dropCredentials(url);
};

export const dropCredentials = (url: URL): void => {
  url.username = "";
  url.password = "";
};

/** The same for what may not be a URL. */
export const withoutUserinfo = (text: string): string =>
  text.replace(/^(\s*[a-z][a-z\d+.-]*:)?\/\/[^/?#]*@/i, "$1//");

/** A stray "%" in a password is itself. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
