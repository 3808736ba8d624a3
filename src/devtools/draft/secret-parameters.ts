import { isSecretName } from "../../collectors/http/secrets.ts";

const SESSION =
  /(?:^|[-_.])(?:sid|sess|session(?:_?id)?|jsessionid|phpsessid|aspsessionid\w*|cftoken|sig)(?:$|[-_.])/;

/** Whether a parameter of an address holds a secret or a session, by its name. A short number is the key of a thing. */
const isSecret = (name: string, value: string): boolean => {
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();
  if (words === "key" && /^\d{1,10}$/.test(value)) return false;
  return SESSION.test(words) || isSecretName(words);
};

const PARAMETER = /([?&;])([^=?&;#\s/]+)=([^?&;#\s"'/]*)/g;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The address without what nobody else should have; `leftOut` has the names. All the rest stays as it is written. */
export const withoutSecrets = (url: URL): { readonly url: URL; readonly leftOut: readonly string[] } => {
  const leftOut: string[] = [];
  const href = url.href.replace(PARAMETER, (all, mark: string, name: string, value: string) => {
    if (!isSecret(decoded(name), value)) return all;
    leftOut.push(decoded(name));
    return mark === "?" ? "?" : "";
  });
  return { url: new URL(href.replace(/\?&/, "?").replace(/\?$/, "")), leftOut };
};

/** A text that may have addresses in it, their secrets blotted out. */
export const blotSecrets = (text: string): string =>
  text.replace(PARAMETER, (all, mark: string, name: string, value: string) =>
    isSecret(decoded(name), value) ? `${mark}${name}=…` : all,
  );
