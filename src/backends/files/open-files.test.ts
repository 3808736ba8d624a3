import { blobsSuite } from "../../ports/blobs.suite.ts";
import { openFiles } from "./open-files.ts";

blobsSuite("files", openFiles);
