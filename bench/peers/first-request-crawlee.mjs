// Argument: a URL.
import { CheerioCrawler, Configuration } from "crawlee";

const config = new Configuration({ persistStorage: false });
await new CheerioCrawler({ requestHandler: async () => {} }, config).run([process.argv[2]]);
