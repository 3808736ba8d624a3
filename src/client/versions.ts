import type {
  Activated,
  Activation,
  EndCanary,
  Gate,
  Moved,
  StartCanary,
  Version,
  Versions,
} from "../schemas/version.ts";
import { askJson, type ClientOptions } from "./ask.ts";

/** Versions of scrapers; for operators. A version is named by its beginning, too, or `newest` for the one deployed last. */
export class VersionsClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async list(scraper: string): Promise<Versions> {
    return await askJson(this.#options, "GET", `${path(scraper)}/versions`);
  }

  async get(scraper: string, version: string): Promise<Version> {
    return await askJson(this.#options, "GET", path(scraper, version));
  }

  /** Judges it by stored pages; nothing is activated. */
  async gate(scraper: string, version = "newest"): Promise<Gate> {
    return await this.#post(`${path(scraper, version)}/gate`);
  }

  /** Judges it first; a refused version needs `accept`. */
  async activate(scraper: string, version = "newest", how: Activation = {}): Promise<Activated> {
    return await this.#post(`${path(scraper, version)}/activate`, how);
  }

  async rollBack(scraper: string, how: Pick<Activation, "move"> = {}): Promise<Moved> {
    return await this.#post(`${path(scraper)}/rollback`, how);
  }

  async startCanary(scraper: string, version = "newest", how: StartCanary = {}): Promise<Moved> {
    return await this.#post(`${path(scraper, version)}/canary`, how);
  }

  async endCanary(scraper: string, how: EndCanary): Promise<Version> {
    return await this.#post(`${path(scraper)}/canary`, how);
  }

  /** Not repeated: a second activation would be a separate one, and would undo a rollback. */
  async #post<Answer>(url: string, json: object = {}): Promise<Answer> {
    return await askJson(this.#options, "POST", url, { json });
  }
}

const path = (scraper: string, version?: string): string =>
  `/v1/scrapers/${encodeURIComponent(scraper)}${version === undefined ? "" : `/versions/${encodeURIComponent(version)}`}`;
