// SPDX-License-Identifier: Apache-2.0

import { findNearest } from "../../base/nearest.ts";
import { type GivenValue, isGivenBy, type OptionSpec, variableNameOf } from "./option.ts";

/** Environment variables by name. */
export type ConfigEnvironment = Readonly<Record<string, string | undefined>>;

/** Values from variables. An empty variable counts as not set, as scripts that pass on unset ones expect. */
export function readVariables(specs: readonly OptionSpec[], env: ConfigEnvironment): readonly GivenValue[] {
  const given: GivenValue[] = [];
  for (const spec of specs) {
    const name = variableNameOf(spec);
    const text = env[name];
    if (text !== undefined && text !== "" && isGivenBy(spec, "variable")) {
      given.push({ spec, source: "variable", place: name, texts: [text] });
    }
  }
  return given;
}

/**
 * A warning for each unknown variable whose name is close to a known one. Others are ignored: Kubernetes sets
 * FLOTILLA_… variables for Services named flotilla….
 */
export function warnAboutVariables(table: readonly OptionSpec[], env: ConfigEnvironment): readonly string[] {
  const known = new Set(table.filter((spec) => isGivenBy(spec, "variable")).map(variableNameOf));
  const warnings: string[] = [];
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith("FLOTILLA_") || known.has(name)) continue;
    const nearest = findNearest(
      name.slice("FLOTILLA_".length),
      [...known].map((full) => full.slice("FLOTILLA_".length)),
    );
    if (nearest !== undefined) {
      warnings.push(`unknown variable ${name.slice(0, 80)}; did you mean FLOTILLA_${nearest}?`);
    }
  }
  return warnings;
}

/** Explains a port whose value is a URL: Kubernetes set it for a Service of that name; the operator did not. */
export function explainServiceLink(given: GivenValue): string {
  const [text = ""] = given.texts;
  if (given.source !== "variable" || !/^(tcp|udp|sctp):\/\//.test(text)) return "";
  return "; Kubernetes sets it for a Service of that name: set enableServiceLinks: false in the Pod";
}
