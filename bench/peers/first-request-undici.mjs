// Argument: a URL.
import { request } from "undici";

const { body } = await request(process.argv[2]);
await body.text();
