import { loadConfig } from "../../config/load-config.ts";
import { examine } from "../../devtools/doctor.ts";
import { EXIT } from "../exit.ts";
import { print } from "../terminal.ts";

export const doctorCommand = async ({ json }: { readonly json: boolean }): Promise<number> => {
  const named = process.env["SLUICE_BROWSER"] ? undefined : (await loadConfig())?.browser;
  const findings = await examine({ browser: named });
  for (const { name, isGood, detail, advice } of findings) {
    if (json) print([JSON.stringify({ name: name.toLowerCase(), isGood, detail, advice })]);
    else
      print([`${name.padEnd(8)} ${detail}`, ...(advice === undefined ? [] : [`${" ".repeat(9)}${advice}`])]);
  }
  return findings.every(({ isGood }) => isGood) ? EXIT.ok : EXIT.usage;
};
