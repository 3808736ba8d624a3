import { type buildConnector, Client, type Dispatcher, Pool } from "undici";

/** Told which address its socket is connected to, when it is about to be sent. */
interface Addressed {
  addressOf?: (() => string | undefined) | undefined;
}

/** One socket at a time: its requests can ask where that leads to. */
class AddressedClient extends Client {
  #address: string | undefined;

  constructor(origin: URL, options: Client.Options) {
    const connect = options.connect as buildConnector.connector;
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...result) => {
          this.#address = result[1]?.remoteAddress;
          callback(...result);
        }),
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (handler as Addressed).addressOf = () => this.#address;
    return super.dispatch(options, handler);
  }
}

/** An agent's `factory`: `connect` must be a function there. */
export const addressedPool = (origin: string | URL, options: object): Pool =>
  new Pool(String(origin), {
    ...options,
    factory: (to, own) => new AddressedClient(to, own),
  });
