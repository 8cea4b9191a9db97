// SPDX-License-Identifier: Apache-2.0
import type { KindCoverage } from "../../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";

/** The sync states of a kind, problems first. */
const states: ReadonlyMap<string, { readonly word: string; readonly tone: "bad" | "busy" | "good" | "quiet" }> =
  new Map([
    ["failed", { word: "failed", tone: "bad" }],
    ["unknown", { word: "not known", tone: "quiet" }],
    ["listing", { word: "listing", tone: "busy" }],
    ["polling", { word: "polling", tone: "good" }],
    ["watching", { word: "watching", tone: "good" }],
    ["notInstalled", { word: "not installed", tone: "quiet" }],
  ]);

const order = [...states.keys()];

/** A kind's state in words. A state that this page does not know is "not known". */
export function kindStateWords(state: string): { readonly word: string; readonly tone: string } {
  return states.get(state) ?? { word: "not known", tone: "quiet" };
}

/** Problems first, then by name. */
export function sortKinds(kinds: readonly KindCoverage[]): readonly KindCoverage[] {
  const rank = ({ state, refusedCount }: KindCoverage): number =>
    refusedCount > 0 ? 0 : order.includes(state) ? order.indexOf(state) : 1;
  return [...kinds].sort((a, b) => rank(a) - rank(b) || (a.resource < b.resource ? -1 : 1));
}

/** Advice for a kind with an error; "" if there is none, undefined without an error. */
export function kindAdvice(
  clusterId: string,
  { state, fault, resource, verb, error, refusedCount }: KindCoverage,
): string | undefined {
  if (state !== "failed" && error === "" && refusedCount === 0) return undefined;
  switch (fault) {
    case "forbidden":
      return `Its agent may not ${verb === "" ? "list and watch" : verb} ${resource}. "flotilla agent manifest --cluster-id ${clusterId}" prints the rules that it needs.`;
    case "notFound":
      return "The API server does not serve this kind. It is followed as soon as its definition is installed.";
    case "expired":
      return "The API server expires resourceVersions before the agent has read them, so the kind is listed again and again. Check its watch cache and the network between them.";
    case "unauthorized":
      return "The API server refuses the agent's credential. A new one is used as soon as it is in its file.";
    default:
      return "";
  }
}

const units = ["B", "kB", "MB", "GB"];

/** Bytes in the unit that needs at most three digits. */
export function byteWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const value = bytes / 1_000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
