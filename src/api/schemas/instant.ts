import { z } from "zod";

/** As `isoTime` writes it. */
export const instant = z.iso.datetime();
