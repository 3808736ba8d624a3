// e2e: the contract suite starts this file as a process
import { blobsSuite } from "../../ports/blobs.suite.ts";
import { openFiles } from "./open-files.ts";

blobsSuite("files", openFiles);
